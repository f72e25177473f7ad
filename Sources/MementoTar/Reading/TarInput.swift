// What the reader needs of a source of bytes, and why reading can fail.

/// A stream that is read once, from its beginning to its end.
package protocol TarInput {
  /// Reads some bytes, at least one. Returns how many; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(TarError) -> Int
}

/// Why an archive cannot be read.
package enum TarError: Error, Equatable, Sendable {
  /// The input does not begin as an archive does.
  case notArchive
  /// The input ends in the middle of the archive.
  case cutOff
  /// `offset`: of the block, in the archive without its compression.
  case damaged(reason: String, offset: UInt64)
  /// The input cannot be read. `reason`: why.
  case input(reason: String, systemError: Int32)
}
