// Blocks that are read in one go, because they lie near to each other in a pack.

package struct StoredRun: Sendable {
  /// So many stored bytes are read in one go, unless a block is larger. Each read of a pack elsewhere is a request.
  private static let longest: UInt64 = 4 << 20
  /// So many bytes that nobody needs are read where they save a request.
  private static let widestGap: UInt64 = 64 << 10
  /// The same between trees and lists where what lies between is likely to be needed soon.
  private static let widestSoon: UInt64 = 1 << 20

  private let widestGap: UInt64
  /// The number that the index gives the pack.
  package let pack: UInt32
  /// The bytes of the pack.
  package private(set) var range: Range<UInt64>

  /// `needsRest`: what lies between the blocks is likely to be needed, too.
  package init(_ first: BlockRecord, ofPack pack: UInt32, needsRest: Bool = false) {
    widestGap = needsRest ? StoredRun.widestSoon : StoredRun.widestGap
    self.pack = pack
    range = first.offset..<first.offset + UInt64(first.storedLength)
  }

  /// Takes another block in. False when it is too far away. Blocks come in the order in which they lie in the pack; the last
  /// one may come again.
  package mutating func add(_ block: BlockRecord, ofPack pack: UInt32) -> Bool {
    guard pack == self.pack, block.offset >= range.lowerBound else { return false }
    let end = block.offset + UInt64(block.storedLength)
    if end > range.upperBound {
      let isNear = block.offset <= range.upperBound || block.offset - range.upperBound <= widestGap
      guard isNear, end - range.lowerBound <= StoredRun.longest else { return false }
      range = range.lowerBound..<end
    }
    return true
  }
}
