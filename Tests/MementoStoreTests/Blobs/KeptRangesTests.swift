import MementoModel
import TestSupport
import Testing

@testable import MementoStore

struct KeptRangesTests {
  private let pack = ObjectID(hashing: [1])

  private func block(_ offset: UInt64, _ length: UInt32) -> BlockRecord {
    BlockRecord(kind: .meta, codec: .stored, rawLength: length, storedLength: length, blobCount: 1, offset: offset)
  }

  private func bytes(_ kept: KeptRanges, _ block: BlockRecord, of pack: ObjectID) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Int(block.storedLength))
    let isKept = buffer.withUnsafeMutableBytes { kept.copy(block, of: pack, into: $0) }
    #expect(kept.has(block, of: pack) == isKept)
    return isKept ? buffer : nil
  }

  /// A block is given when all of it is in one part, and with the bytes of its place.
  @Test func blocksAreFoundInParts() {
    let kept = KeptRanges()
    kept.keep(Array(0..<100), at: 1000, of: pack)
    kept.keep(Array(100..<120), at: 1100, of: pack)
    #expect(bytes(kept, block(1000, 100), of: pack) == Array(0..<100))
    #expect(bytes(kept, block(1097, 3), of: pack) == [97, 98, 99])
    #expect(bytes(kept, block(1105, 2), of: pack) == [105, 106])
    for other in [block(999, 2), block(1098, 3), block(1119, 2), block(1120, 1), block(.max, 1), block(0, .max)] {
      #expect(!kept.has(other, of: pack), "\(other)")
    }
    #expect(!kept.has(block(1000, 1), of: ObjectID(hashing: [2])))
    // The longer of two parts that begin at the same place stays.
    kept.keep(Array(0..<10), at: 1000, of: pack)
    #expect(kept.has(block(1050, 10), of: pack))
    kept.keep(Array(0..<130), at: 1000, of: pack)
    #expect(bytes(kept, block(1098, 3), of: pack) == [98, 99, 100])
    kept.forget(pack)
    #expect(!kept.has(block(1000, 1), of: pack))
  }

  /// Whatever is kept and forgotten in whatever order, what is given is right, and no more is held than there may be.
  @Test func randomPartsAreRight() {
    var random = SplitMix64(seed: 5)
    let kept = KeptRanges()
    let packs = (0..<3).map { ObjectID(hashing: [UInt8($0)]) }
    let size = 12 << 20
    let contents = packs.indices.map { Content.random(size, seed: UInt64($0)) }
    var hits = 0
    for _ in 0..<2000 {
      let number = Int.random(in: 0..<3, using: &random)
      let start = Int.random(in: 0..<size - 1, using: &random)
      let count = Int.random(in: 1...min(size - start, 400_000), using: &random)
      switch Int.random(in: 0..<200, using: &random) {
      case 0: kept.forget(packs[number])
      case 1: kept.forgetAll()
      case 2..<100: kept.keep(Array(contents[number][start..<start + count]), at: UInt64(start), of: packs[number])
      default:
        let record = block(UInt64(start), UInt32(min(count, 5000)))
        guard let found = bytes(kept, record, of: packs[number]) else { continue }
        hits += 1
        #expect(found == Array(contents[number][start..<start + found.count]))
      }
      #expect(kept.byteCount <= 16 << 20)
    }
    #expect(hits > 100)
  }
}
