// Blocks that are read in one go, because they lie near to each other in a pack.

package struct StoredRun: Sendable {
  /// So many stored bytes are read in one go, unless a block is larger. Each read of a pack elsewhere is a request.
  private static let longest: UInt64 = 4 << 20
  /// So many bytes that nobody needs are read where they save a request.
  private static let widestGap: UInt64 = 64 << 10
  /// The same between trees and lists where what lies between is likely to be needed soon.
  private static let widestSoon: UInt64 = 1 << 20

  private let widestGap: UInt64
  /// Divides places into ranges that are read in one go. `places`: in the order of packs. `ahead`: how many bytes may be read
  /// with what lies between, since that is likely to be needed, too; what is read so is taken off.
  package static func divide(_ places: some Sequence<Location>, ahead: inout UInt64) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var run: StoredRun?
    for (number, place) in places.enumerated() {
      if run?.add(place.block, ofPack: place.pack) == true {
        ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound..<number + 1
      } else {
        ahead -= min(ahead, UInt64(run?.range.count ?? 0))
        run = StoredRun(place.block, ofPack: place.pack, needsRest: ahead > 0)
        ranges.append(number..<number + 1)
      }
    }
    ahead -= min(ahead, UInt64(run?.range.count ?? 0))
    return ranges
  }

  /// The number that the index gives the pack.
  let pack: UInt32
  /// The bytes of the pack.
  private(set) var range: Range<UInt64>

  /// `needsRest`: what lies between the blocks is likely to be needed, too.
  init(_ first: BlockRecord, ofPack pack: UInt32, needsRest: Bool = false) {
    widestGap = needsRest ? StoredRun.widestSoon : StoredRun.widestGap
    self.pack = pack
    range = first.offset..<first.offset + UInt64(first.storedLength)
  }

  /// Takes another block in. False when it is too far away. Blocks come in the order in which they lie in the pack; the last
  /// one may come again.
  mutating func add(_ block: BlockRecord, ofPack pack: UInt32) -> Bool {
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
