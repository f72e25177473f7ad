// The named states: a shared list that never changes, and the changes since it was written. So changing one of ten
// thousand states costs no more than changing one of ten.

/// A change of a name. `snapshot` is nil when the name was deleted.
struct StateChange: Equatable, Sendable {
  var name: String
  var snapshot: ObjectID?
}

/// All named states.
package struct StateTable: Sendable {
  /// When there are more changes than this, they are merged into the list. A list of more states than this is a file of
  /// its own.
  static let longestChanges = 512

  let list: StateList
  /// The file in states/ that holds the list. Nil when the list is part of `refs`.
  let file: ObjectID?
  /// Sorted by the bytes of the names. No name is there twice, and each change differs from the list.
  private(set) var changes: [StateChange]

  package init() {
    self.init(.empty, file: nil)
  }

  init(_ list: StateList, file: ObjectID?, changes: [StateChange] = []) {
    self.list = list
    self.file = file
    self.changes = changes
  }

  /// The snapshot of a name. Nil when there is no such name; setting nil deletes the name.
  package subscript(name: String) -> ObjectID? {
    get {
      let place = place(of: name)
      if isChange(place, name) { return changes[place].snapshot }
      let (index, isThere) = list.find(name)
      return isThere ? list.snapshot(at: index) : nil
    }
    set {
      let place = place(of: name)
      let isChange = isChange(place, name)
      switch (isNews(name, newValue), isChange) {
      case (true, true): changes[place].snapshot = newValue
      case (true, false): changes.insert(StateChange(name: name, snapshot: newValue), at: place)
      case (false, true): changes.remove(at: place)
      case (false, false): break
      }
    }
  }

  /// How many states there are.
  package var count: Int {
    changes.reduce(list.count) { count, change in
      let isThere = list.find(change.name).isThere
      return count + (change.snapshot == nil ? 0 : 1) - (isThere ? 1 : 0)
    }
  }

  package var isEmpty: Bool { first { _ in true } == nil }

  /// Sets or deletes many names in one pass; a nil snapshot deletes the name. If a name is given twice, the last one
  /// counts.
  package mutating func set(_ states: [(name: String, snapshot: ObjectID?)]) {
    var new: [[UInt8]: StateChange] = [:]
    for (name, snapshot) in states { new[Array(name.utf8)] = StateChange(name: name, snapshot: snapshot) }
    if new.count < 8 {
      for change in new.values { self[change.name] = change.snapshot }
      return
    }
    let kept = changes.filter { new[Array($0.name.utf8)] == nil }
    let news = new.values.filter { isNews($0.name, $0.snapshot) }
    changes = (kept + news).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The names whose snapshot differs from that in `old`, with both snapshots; nil where there is no such name. If both
  /// tables share a list, only their changes are compared, which is fast.
  func differences(from old: StateTable) -> [(name: String, before: ObjectID?, now: ObjectID?)] {
    var names: [String]
    if list === old.list {
      let start = zip(old.changes, changes).prefix { $0 == $1 }.count
      let end = zip(old.changes[start...].reversed(), changes[start...].reversed()).prefix { $0 == $1 }.count
      names = (old.changes[start..<(old.changes.count - end)] + changes[start..<(changes.count - end)]).map(\.name)
    } else {
      names = old.map(\.name) + map(\.name)
    }
    var seen: Set<[UInt8]> = []
    names = names.filter { seen.insert(Array($0.utf8)).inserted }
    return names.compactMap { name in
      let before = old[name]
      let now = self[name]
      return before == now ? nil : (name, before, now)
    }
  }

  /// The names of a snapshot, sorted by their bytes.
  package func names(of snapshot: ObjectID) -> [String] {
    var names = list.indices(of: snapshot).map { list[$0].name }
    if changes.isEmpty { return names }
    names.removeAll { name in isChange(place(of: name), name) }
    names += changes.filter { $0.snapshot == snapshot }.map(\.name)
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names of each of these snapshots. Snapshots without a name are left out.
  package func names(of snapshots: some Collection<ObjectID>) -> [ObjectID: [String]] {
    var result: [ObjectID: [String]] = [:]
    if snapshots.count < 16 {
      for snapshot in snapshots { result[snapshot] = names(of: snapshot) }
      return result.filter { !$0.value.isEmpty }
    }
    let wanted = Set(snapshots)
    for state in self where wanted.contains(state.snapshot) { result[state.snapshot, default: []].append(state.name) }
    return result
  }

  /// The same states as one list. Throws when a name is not allowed in a list.
  func folded() throws(FormatError) -> StateList {
    if changes.isEmpty { return list }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(list.text.count + changes.count * (StateList.nameStart + 24))
    var next = 0
    for change in changes {
      let (index, isThere) = list.find(change.name)
      bytes.append(contentsOf: list.lines(next..<index))
      if let snapshot = change.snapshot { StateTable.appendLine(change.name, snapshot, to: &bytes) }
      next = isThere ? index + 1 : index
    }
    bytes.append(contentsOf: list.lines(next..<list.count))
    return try StateList(bytes)
  }

  static func appendLine(_ name: String, _ snapshot: ObjectID?, to bytes: inout [UInt8]) {
    if let snapshot { snapshot.appendHex(to: &bytes) } else { bytes.append(UInt8(ascii: "-")) }
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: name.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Whether the list has another snapshot, or none, for this name.
  private func isNews(_ name: String, _ snapshot: ObjectID?) -> Bool {
    let (index, isThere) = list.find(name)
    return isThere ? snapshot != list.snapshot(at: index) : snapshot != nil
  }

  private func isChange(_ place: Int, _ name: String) -> Bool {
    place < changes.count && changes[place].name.utf8.elementsEqual(name.utf8)
  }

  /// The index of the first change whose name is not before `name`.
  private func place(of name: String) -> Int {
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].name.utf8.lexicographicallyPrecedes(name.utf8) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// All states, sorted by the bytes of their names.
extension StateTable: Sequence {
  package struct Iterator: IteratorProtocol {
    private let table: StateTable
    private var line = 0
    private var change = 0
    /// The place of the next change in the list.
    private var place: (index: Int, isThere: Bool)?

    fileprivate init(_ table: StateTable) {
      self.table = table
    }

    package mutating func next() -> NamedState? {
      while change < table.changes.count {
        let next = table.changes[change]
        let (index, isThere) = place ?? table.list.find(next.name)
        place = (index, isThere)
        if line < index { break }
        place = nil
        change += 1
        if isThere { line = index + 1 }
        if let snapshot = next.snapshot { return NamedState(name: next.name, snapshot: snapshot) }
      }
      guard line < table.list.count else { return nil }
      defer { line += 1 }
      return table.list[line]
    }
  }

  package func makeIterator() -> Iterator { Iterator(self) }
}

extension StateTable: Equatable {
  package static func == (left: StateTable, right: StateTable) -> Bool { left.elementsEqual(right) }
}
