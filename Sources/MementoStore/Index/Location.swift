// Where a blob lies.

/// A blob's place: which block of which pack, and where in the unpacked block.
package struct Location: Equatable, Sendable {
  /// A number that the index gives packs while the program runs.
  package var pack: UInt32
  package var block: BlockRecord
  /// From the start of the unpacked block, bytes.
  package var offset: UInt32
  package var length: UInt32

  /// Orders reading: pack by pack, front to back.
  package var sortKey: (UInt32, UInt64, UInt32) { (pack, block.offset, offset) }
}
