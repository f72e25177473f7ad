// Texts that the user has put beside snapshots, as git's notes: the snapshot and its id stay what they are.

/// The note of each snapshot that has one.
package struct SnapshotNotes: Equatable, Sendable {
  /// The most bytes of a note.
  package static let longest = 4096

  /// Sorted by snapshot.
  private var entries: [(snapshot: ObjectID, text: String)] = []

  init() {}

  package var isEmpty: Bool { entries.isEmpty }
  package var snapshots: [ObjectID] { entries.map(\.snapshot) }

  /// The note of a snapshot; nil when it has none. Setting nil removes it.
  package subscript(snapshot: ObjectID) -> String? {
    get {
      let index = index(of: snapshot)
      return has(snapshot, at: index) ? entries[index].text : nil
    }
    set {
      let index = index(of: snapshot)
      let range = index..<(has(snapshot, at: index) ? index + 1 : index)
      entries.replaceSubrange(range, with: newValue.map { [(snapshot, $0)] } ?? [])
    }
  }

  /// Removes the notes of all snapshots that `isGone` names.
  package mutating func removeAll(where isGone: (ObjectID) -> Bool) {
    entries.removeAll { isGone($0.snapshot) }
  }

  /// Puts other snapshots in the place of some. Where two become one, the first of their notes stays.
  mutating func exchange(_ snapshots: [ObjectID: ObjectID]) {
    let old = entries
    entries = []
    for entry in old {
      let new = snapshots[entry.snapshot] ?? entry.snapshot
      if self[new] == nil { self[new] = entry.text }
    }
  }

  private func has(_ snapshot: ObjectID, at index: Int) -> Bool {
    index < entries.count && entries[index].snapshot == snapshot
  }

  /// Where the note of a snapshot is, or would be.
  private func index(of snapshot: ObjectID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].snapshot < snapshot { low = middle + 1 } else { high = middle }
    }
    return low
  }

  package static func == (left: SnapshotNotes, right: SnapshotNotes) -> Bool {
    left.entries.elementsEqual(right.entries, by: ==)
  }

  // MARK: Lines of `refs`

  static let word = Array("note ".utf8)

  /// Appends a line `note ID TEXT` for each.
  func appendLines(to bytes: inout [UInt8]) {
    for entry in entries {
      bytes.append(contentsOf: SnapshotNotes.word)
      entry.snapshot.appendHex(to: &bytes)
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: PercentText.encode(entry.text.utf8).utf8)
      bytes.append(UInt8(ascii: "\n"))
    }
  }

  /// Takes a line without its newline. False when it is not valid, or not after the ones before.
  mutating func take(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.dropFirst(SnapshotNotes.word.count)
    guard text.count > 65, let snapshot = ObjectID(text.prefix(64)), text.dropFirst(64).first == UInt8(ascii: " "),
      let bytes = PercentText.decode(text.dropFirst(65)), bytes.count <= SnapshotNotes.longest, !bytes.contains(0),
      let note = String(validating: bytes, as: UTF8.self), entries.last.map({ $0.snapshot < snapshot }) ?? true
    else { return false }
    entries.append((snapshot, note))
    return true
  }
}
