import Testing

@testable import MementoStore

struct StoredRunTests {
  private func block(_ offset: UInt64, _ length: UInt32) -> BlockRecord {
    BlockRecord(kind: .data, codec: .stored, rawLength: length, storedLength: length, blobCount: 1, offset: offset)
  }

  /// Where what is read begins and ends when one block is added to another; nil when it is not taken in.
  private func range(
    _ first: BlockRecord, _ next: BlockRecord, ofPack pack: UInt32 = 3, needsRest: Bool = false
  ) -> [UInt64]? {
    var run = StoredRun(first, ofPack: 3, needsRest: needsRest)
    return run.add(next, ofPack: pack) ? [run.range.lowerBound, run.range.upperBound] : nil
  }

  @Test func nearBlocksAreReadAtOnce() {
    let first = block(16, 100)
    // The same one again, the next one, and one behind a gap.
    #expect(range(first, first) == [16, 116])
    #expect(range(first, block(116, 50)) == [16, 166])
    #expect(range(first, block(116 + 65_536, 10)) == [16, 126 + 65_536])
    // Too far away, in another pack, before all others, and too much at once.
    #expect(range(first, block(117 + 65_536, 10)) == nil)
    #expect(range(first, block(116, 50), ofPack: 4) == nil)
    #expect(range(first, block(0, 10)) == nil)
    #expect(range(first, block(116, (4 << 20) - 100)) == [16, 16 + (4 << 20)])
    #expect(range(first, block(116, (4 << 20) - 99)) == nil)
  }

  /// What lies between is read until so much was read.
  @Test func placesAreDivided() {
    let offsets: [UInt64] = [0, 100, 100, 200_000, 400_000, 3_000_000]
    let places = offsets.map { Location(pack: 1, block: block($0, 50), offset: 0, length: 50) }
    var none: UInt64 = 0
    #expect(StoredRun.divide(places, ahead: &none) == [0..<3, 3..<4, 4..<5, 5..<6] && none == 0)
    var ahead: UInt64 = 1_000_000
    #expect(StoredRun.divide(places, ahead: &ahead) == [0..<5, 5..<6] && ahead == 1_000_000 - 400_100)
    var little: UInt64 = 10
    #expect(StoredRun.divide([places[0]] + places, ahead: &little) == [0..<6, 6..<7] && little == 0)
  }

  /// What is needed soon may be read as well, and one block may be as large as it is.
  @Test func gapsAreWiderWhereAllIsNeeded() {
    #expect(range(block(0, 10), block(10 + (1 << 20), 10), needsRest: true) == [0, 20 + (1 << 20)])
    #expect(range(block(0, 10), block(11 + (1 << 20), 10), needsRest: true) == nil)
    let large = block(0, 9 << 20)
    #expect(range(large, large) == [0, 9 << 20])
    #expect(range(large, block(9 << 20, 1)) == nil)
  }
}
