// What a step of the history did, beyond the state that it reached: the command that was run, or what was restored.

/// A command that ran between the save before it and the save of what it left.
public struct CommandRun: Hashable, Sendable {
  /// The most bytes of all words together that are kept.
  package static let longest = 120

  /// The first words of the command, the program first.
  public let words: [BytePath]
  /// Whether words, or the end of the last one, are left out.
  public let isCut: Bool
  /// The exit status from 0 to 255; 128 and the number of the signal that ended the command, as in shells.
  public let status: UInt8
  /// How long the command ran, in milliseconds.
  public let milliseconds: UInt64

  /// Keeps the first 120 bytes of the words.
  public init(_ words: [BytePath], status: UInt8, milliseconds: UInt64) {
    var kept: [BytePath] = []
    var left = CommandRun.longest
    for word in words {
      let part = CommandRun.beginning(of: word.bytes, left)
      if !part.isEmpty || word.bytes.isEmpty { kept.append(BytePath(part)) }
      left -= max(1, part.count)
      if part.count < word.bytes.count || left <= 0 { break }
    }
    self.init(kept: kept, isCut: kept != words, status: status, milliseconds: milliseconds)
  }

  package init(kept words: [BytePath], isCut: Bool, status: UInt8, milliseconds: UInt64) {
    self.words = words
    self.isCut = isCut
    self.status = status
    self.milliseconds = milliseconds
  }

  /// At most `limit` bytes, which do not end within a character of UTF-8.
  private static func beginning(of bytes: [UInt8], _ limit: Int) -> [UInt8] {
    guard bytes.count > limit else { return bytes }
    var end = max(0, limit)
    while end > 0, limit - end < 3, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(bytes[..<end])
  }
}

/// A snapshot that was restored, or changes that were taken back, and how many entries of the folder that changed. Folders do
/// not count.
public struct RestoredState: Hashable, Sendable {
  /// The name of the state, or the first digits of the id of a snapshot without one.
  public let name: String
  /// For a revert: what changed from `name` to this state was taken back. Nil for a restore.
  public let until: String?
  /// Entries that were missing.
  public let created: Int
  /// Entries whose content became another.
  public let replaced: Int
  /// Entries that the snapshot does not have.
  public let removed: Int
  /// Entries of which only times, permissions or other metadata changed.
  public let metadata: Int

  package init(name: String, until: String? = nil, created: Int, replaced: Int, removed: Int, metadata: Int) {
    self.name = name
    self.until = until
    self.created = created
    self.replaced = replaced
    self.removed = removed
    self.metadata = metadata
  }
}

/// What a step did. Most of a thousand steps have none, so it takes no more room in a step than a pointer.
package indirect enum StepStory: Hashable, Sendable {
  case run(CommandRun)
  case restored(RestoredState)
}
