// Where a blob lies.

/// The place of a blob: a block of a pack, and where in the unpacked block the blob is.
package struct Location: Equatable, Sendable {
  /// The number that the index gives the pack while the program runs.
  package var pack: UInt32
  package var block: BlockRecord
  /// In bytes, from the start of the unpacked block.
  package var offset: UInt32
  /// In bytes.
  package var length: UInt32

  /// Sorts places so that packs are read one after the other, each from front to back.
  package var sortKey: (UInt32, UInt64, UInt32) { (pack, block.offset, offset) }
}
