// Collects the lines of `refs` that belong to the trash, while `refs` are read.

internal import MementoSystem

struct TrashLines {
  private(set) var clock: LivedClock?
  private var lists: [TrashList] = []
  private var recent: [UInt8] = []
  private var recentCount = 0
  private let allowsPassed: Bool

  /// `allowsPassed`: whether an entry may say that its step fell off the timeline.
  init(allowsPassed: Bool) {
    self.allowsPassed = allowsPassed
  }

  /// Takes a line, without its newline. Returns false when it does not belong to the trash. Throws when it is not
  /// valid.
  mutating func take(_ line: ArraySlice<UInt8>) throws(FormatError) -> Bool {
    if line.starts(with: TrashEntry.word) {
      guard let entry = TrashEntry(line: line), allowsPassed || entry.reason != .passed else { throw bad("trash") }
      recent.append(contentsOf: line)
      recent.append(UInt8(ascii: "\n"))
      recentCount += 1
      return true
    }
    // These lines are not longer.
    let words = line.prefix(300).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    switch words.first.map({ String(decoding: $0, as: UTF8.self) }) {
    case "trash-list":
      guard words.count == 3, let file = ObjectID(words[1]),
        let count = DecimalDigits.number(words[2]).flatMap({ Int(exactly: $0) }),
        !lists.contains(where: { $0.file == file })
      else { throw bad("trash-list") }
      lists.append(TrashList(file: file, count: count))
    case "clock":
      guard clock == nil, words.count == 5, let wall = Timestamp(rfc3339: words[1]), !words[2].isEmpty,
        let boot = String(validating: words[2], as: UTF8.self), let sinceBoot = DecimalDigits.number(words[3]),
        let lived = DecimalDigits.number(words[4])
      else { throw bad("clock") }
      clock = LivedClock(wall: wall, boot: boot == "-" ? "" : boot, sinceBoot: sinceBoot, lived: lived)
    default:
      return false
    }
    return true
  }

  /// The trash made of all lines. Throws when there is something whose age counts and no clock, since gc would never
  /// drop it, or a clock and nothing of the kind. `hasAges`: whether steps have ages.
  func trash(hasAges: Bool) throws(FormatError) -> Trash {
    let trash = Trash(lists: lists, recent: recent, recentCount: recentCount)
    if (trash.isEmpty && !hasAges) != (clock == nil) { throw bad("clock") }
    return trash
  }

  private func bad(_ line: String) -> FormatError {
    FormatError("its line \"\(line)\" is not understood")
  }
}
