// A set of ids that grows, and from which only the newest can be removed. A save asks it once for each chunk. It takes 40
// to 48 bytes for each id; `Set` takes about 100.

/// Ids by their numbers.
package struct NumberedIDs: Sendable {
  /// Ids are kept in pieces of this size, so that growing copies no ids and leaves no room unused.
  @inlinable static var pieceBits: Int { 13 }
  @inlinable static var inPiece: Int { 1 << pieceBits }

  @usableFromInline var pieces: [ContiguousArray<ObjectID>] = []
  package private(set) var count = 0

  package init() {}

  /// The id with this number.
  @inlinable package subscript(number: Int) -> ObjectID {
    pieces[number >> NumberedIDs.pieceBits][number & (NumberedIDs.inPiece - 1)]
  }

  fileprivate mutating func removeLast() {
    count -= 1
    pieces[pieces.count - 1].removeLast()
    if count & (NumberedIDs.inPiece - 1) == 0 { pieces.removeLast() }
  }

  fileprivate mutating func append(_ id: ObjectID) {
    if count & (NumberedIDs.inPiece - 1) == 0 { pieces.append([]) }
    pieces[pieces.count - 1].append(id)
    count += 1
  }
}

/// Keeps ids in the order in which they were added, and finds them through a table of 32-bit slots (open addressing,
/// linear probing).
package struct BlobSet: Sendable {
  /// The ids by their numbers. Whoever needs no more than that need not keep the table.
  package private(set) var ids = NumberedIDs()
  private var slots: ContiguousArray<UInt32>
  private var mask: Int

  package var count: Int { ids.count }

  package init() {
    slots = ContiguousArray(repeating: 0, count: 1024)
    mask = 1023
  }

  /// Whether the id is in the set.
  package func contains(_ id: ObjectID) -> Bool {
    slots[slot(of: id)] != 0
  }

  /// Adds an id. Returns false when it was in the set already.
  package mutating func insert(_ id: ObjectID) -> Bool {
    let before = count
    _ = number(inserting: id)
    return count > before
  }

  /// The number of an id: how many ids were added before it. Nil when it is not in the set.
  package func number(of id: ObjectID) -> Int? {
    let entry = slots[slot(of: id)]
    return entry == 0 ? nil : Int(entry) - 1
  }

  /// The number of an id. Adds the id if it is not in the set.
  package mutating func number(inserting id: ObjectID) -> Int {
    let slot = slot(of: id)
    if slots[slot] != 0 { return Int(slots[slot]) - 1 }
    ids.append(id)
    slots[slot] = UInt32(count)
    if count * 2 > slots.count { grow() }
    return count - 1
  }

  /// Removes all ids but the first `count`.
  package mutating func removeAll(after count: Int) {
    while self.count > count {
      // The newest id found its slot last, also when the table grew, so without it the table is as it was before.
      slots[slot(of: ids[self.count - 1])] = 0
      ids.removeLast()
    }
  }

  /// The slot that holds the id, or the empty slot where it belongs. Ids are hashes, so some of their bits serve as the
  /// hash.
  private func slot(of id: ObjectID) -> Int {
    var slot = Int(truncatingIfNeeded: id.words.1) & mask
    while true {
      let entry = slots[slot]
      if entry == 0 || ids[Int(entry) - 1] == id { return slot }
      slot = (slot + 1) & mask
    }
  }

  private mutating func grow() {
    let size = slots.count * 2
    // Free the old slots before the new ones are made.
    slots = []
    slots = ContiguousArray(repeating: 0, count: size)
    mask = size - 1
    for number in 0..<count {
      var slot = Int(truncatingIfNeeded: ids[number].words.1) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
  }
}
