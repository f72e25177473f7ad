// An entry of the trash: a snapshot that lost its name or step, when, why, and its name. See docs/format.md, "refs".

package import MementoSystem

/// Why only the trash keeps a snapshot.
package enum TrashReason: String, Sendable, CaseIterable {
  /// Its name was deleted.
  case deleted
  /// Its name was given to another snapshot.
  case replaced
  /// It was undone, and a later save dropped its step.
  case undone
  /// Its step fell off the beginning of the full timeline. The entry counts from when the step came.
  case passed
}

/// An entry of the trash.
package struct TrashEntry: Equatable, Sendable {
  /// When it came into the trash by the wall clock, for people.
  package var time: Timestamp
  /// When it came into the trash, in seconds that the store had seen pass.
  package var lived: UInt64
  package var reason: TrashReason
  package var snapshot: ObjectID
  /// The name that it lost; nil when it had none.
  package var name: String?

  package init(time: Timestamp, lived: UInt64, reason: TrashReason, snapshot: ObjectID, name: String?) {
    self.time = time
    self.lived = lived
    self.reason = reason
    self.snapshot = snapshot
    self.name = name
  }

  static let word = Array("trash ".utf8)

  /// Appends the line `trash TIME LIVED REASON ID [NAME]` with a newline.
  func appendLine(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: TrashEntry.word)
    time.appendRFC3339(to: &bytes)
    bytes.append(UInt8(ascii: " "))
    DecimalDigits.append(lived, to: &bytes)
    bytes.append(contentsOf: " \(reason.rawValue) ".utf8)
    snapshot.appendHex(to: &bytes)
    if let name {
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: PercentText.encode(name.utf8).utf8)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Decodes a line without its newline. Nil for anything that `appendLine` does not write.
  init?(line: ArraySlice<UInt8>) {
    guard line.starts(with: TrashEntry.word) else { return nil }
    let space = UInt8(ascii: " ")
    let words = line.dropFirst(TrashEntry.word.count).split(
      separator: space, maxSplits: 4, omittingEmptySubsequences: false)
    guard words.count == 4 || words.count == 5, let time = Timestamp(rfc3339: words[0]),
      let lived = DecimalDigits.number(words[1]),
      let reason = TrashReason.allCases.first(where: { words[2].elementsEqual($0.rawValue.utf8) }),
      let snapshot = ObjectID(words[3])
    else { return nil }
    var name: String?
    if words.count == 5 {
      guard !words[4].isEmpty, !words[4].contains(space), let text = String(validating: words[4], as: UTF8.self),
        let bytes = PercentText.decode(text), let decoded = String(validating: bytes, as: UTF8.self)
      else { return nil }
      name = decoded
    }
    self.init(time: time, lived: lived, reason: reason, snapshot: snapshot, name: name)
  }
}
