// Reads the journal from its end, one piece at a time, so that reading the newest lines costs no more than their
// length.

internal import MementoSystem

/// Returns the lines of the journal, newest first. A copy continues from the same place, independently.
package struct JournalReader: Sendable {
  /// How many bytes are read at once.
  private static let pieceSize = 1 << 16
  /// A line of more bytes is not one that memento wrote.
  private static let longestLine = 1 << 12

  private let file: SharedDescriptor?
  /// The offset of `bytes` in the file.
  private var start: UInt64
  private var bytes: [UInt8] = []
  /// How many bytes at the start of `bytes` have not been returned yet.
  private var unread = 0
  /// Whether the end of the current line is missing: the line is too long, or has no newline yet.
  private var isCutOff = true

  /// `size`: the reader reads this many bytes of the file. A nil `file` has no lines.
  init(_ file: SharedDescriptor?, size: UInt64) {
    self.file = file
    start = size
  }

  /// The next older entry for whose line `isWanted` returns true. Nil at the beginning of the journal. Lines that are
  /// not understood are skipped. `isWanted` gets the bytes of a line before it is decoded, which makes skipping fast.
  /// Throws when the file cannot be read.
  package mutating func next(
    where isWanted: (ArraySlice<UInt8>) -> Bool = { _ in true }
  ) throws(StoreError) -> JournalEntry? {
    while let line = try nextLine() {
      if line.count <= JournalReader.longestLine, isWanted(line), let entry = JournalLine.entry(line) { return entry }
    }
    return nil
  }

  private mutating func nextLine() throws(StoreError) -> ArraySlice<UInt8>? {
    while true {
      let newline = UInt8(ascii: "\n")
      // The bytes after the last newline are an unfinished line.
      if isCutOff, let end = bytes[..<unread].lastIndex(of: newline) {
        unread = end + 1
        isCutOff = false
      }
      if !isCutOff {
        let end = unread - 1
        if let before = bytes[..<end].lastIndex(of: newline) {
          unread = before + 1
          return bytes[unread..<end]
        }
        if start == 0 {
          isCutOff = true
          unread = 0
          return bytes[..<end]
        }
      }
      guard try readPiece() else { return nil }
    }
  }

  /// Reads the piece of the file that precedes `bytes` and puts it before them. Returns false at the beginning of the
  /// file.
  private mutating func readPiece() throws(StoreError) -> Bool {
    if isCutOff || unread > JournalReader.longestLine {
      isCutOff = true
      unread = 0
    }
    let count = Int(min(start, UInt64(JournalReader.pieceSize)))
    guard count > 0, let file else { return false }
    let offset = start - UInt64(count)
    let piece = try onFile("read", "journal") { () throws(Errno) in try file.descriptor.bytes(at: offset, count: count)
    }
    // Somebody has truncated the file meanwhile: the older lines are gone.
    guard piece.count == count else { return false }
    bytes = piece + bytes[..<unread]
    unread += count
    start -= UInt64(count)
    return true
  }
}
