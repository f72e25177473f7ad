// The journal from its end, a piece at a time: what was done last costs no more than its own lines.

internal import MementoSystem

/// Hands out the lines of the journal, newest first; a copy goes on from the same place by itself.
package struct JournalReader: Sendable {
  /// Bytes read at once.
  private static let pieceSize = 1 << 16
  /// A longer line, bytes, is none of ours.
  private static let longestLine = 1 << 12

  private let file: SharedDescriptor?
  /// Where `bytes` begins in the file.
  private var start: UInt64
  private var bytes: [UInt8] = []
  /// How much of `bytes` has not been handed out.
  private var unread = 0
  /// Whether the end of the line at hand was thrown away: it is too long, or not finished.
  private var isCutOff = true

  /// `size`: how much of the file is read, bytes.
  init(_ file: SharedDescriptor?, size: UInt64) {
    self.file = file
    start = size
  }

  /// The next older line that `isWanted` and makes sense. Lines are passed over by their bytes, which is quick. Throws when
  /// the file cannot be read.
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
      // What follows the last line end is not finished.
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

  /// Puts the piece before what is left in front of it. False at the beginning of the file.
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
    // Somebody has cut it short: the lines are gone.
    guard piece.count == count else { return false }
    bytes = piece + bytes[..<unread]
    unread += count
    start -= UInt64(count)
    return true
  }
}
