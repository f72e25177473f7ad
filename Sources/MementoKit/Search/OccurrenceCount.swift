// Counts how often a text occurs in contents that share chunks: it looks at each chunk once, and then only at where two chunks
// meet.

internal import MementoSystem

/// What a chunk has of a text.
struct ChunkOccurrences: Sendable {
  /// Bytes of the chunk.
  var length = 0
  /// How often the text occurs in it.
  var count = 0
  /// Its first and its last bytes, one less than the text has.
  var head: [UInt8] = []
  var tail: [UInt8] = []
}

/// A text that is counted.
struct OccurrenceCount: Sendable {
  /// The ends of many chunks are kept.
  private static let longest = 256
  private let text: [UInt8]

  /// Nil for a text that is too long, or that can overlap with itself as "abab" can: how often that occurs depends on where
  /// the count begins. Nil also for an empty one, and for a zero, of which holes are full.
  init?(_ text: [UInt8]) {
    guard !text.isEmpty, text != [0], text.count <= OccurrenceCount.longest else { return nil }
    for length in 1..<text.count where text.prefix(length) == text.suffix(length) { return nil }
    self.text = text
  }

  /// Looks at a chunk.
  func look(at chunk: UnsafeRawBufferPointer) -> ChunkOccurrences {
    let edge = min(text.count - 1, chunk.count)
    return ChunkOccurrences(
      length: chunk.count, count: count(in: chunk), head: Array(chunk[..<edge]),
      tail: Array(chunk[(chunk.count - edge)...]))
  }

  /// A hole: zeros. The text is in none, since it does not overlap with itself.
  func hole(_ length: UInt64) -> ChunkOccurrences {
    let zeros = [UInt8](repeating: 0, count: Int(clamping: min(length, UInt64(text.count - 1))))
    return ChunkOccurrences(length: Int(clamping: length), count: 0, head: zeros, tail: zeros)
  }

  /// How often the text occurs in a content of these chunks.
  func total(of chunks: some Sequence<ChunkOccurrences>) -> Int {
    var total = 0
    var before: [UInt8] = []
    for chunk in chunks {
      total += chunk.count
      // Each side is shorter than the text, so what is found reaches over the border.
      if !before.isEmpty { total += (before + chunk.head).withUnsafeBytes { count(in: $0) } }
      before = Array((before + chunk.tail).suffix(text.count - 1))
    }
    return total
  }

  private func count(in bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    var place = 0
    while let found = ByteSearch.first(of: text, in: UnsafeRawBufferPointer(rebasing: bytes[place...])) {
      count += 1
      place += found + text.count
    }
    return count
  }
}
