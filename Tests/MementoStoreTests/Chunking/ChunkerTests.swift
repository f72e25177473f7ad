import MementoStore
import TestSupport
import Testing

struct ChunkerTests {
  static let small = ChunkSizes(minimum: 256, average: 1024, maximum: 4096)!

  private func cuts(_ bytes: [UInt8], _ sizes: ChunkSizes) -> [ArraySlice<UInt8>] {
    let chunker = Chunker(sizes: sizes)
    var chunks: [ArraySlice<UInt8>] = []
    var start = 0
    bytes.withUnsafeBytes { all in
      while start < all.count {
        let length = chunker.firstCut(in: UnsafeRawBufferPointer(rebasing: all[start...]))
        chunks.append(bytes[start..<start + length])
        start += length
      }
    }
    return chunks
  }

  @Test func sameBytesSameCuts() {
    let bytes = Content.random(300_000, seed: 1)
    #expect(cuts(bytes, ChunkerTests.small) == cuts(Array(bytes), ChunkerTests.small))
    #expect(Array(cuts(bytes, ChunkerTests.small).joined()) == bytes)
  }

  @Test func theCutsOfTheFormatStayWhereTheyAre() {
    // With other cuts, content that is in a store already would be stored again.
    let lengths = cuts(Content.random(1 << 20, seed: 42), .standard).map(\.count)
    #expect(lengths.prefix(4) == [99_880, 101_111, 72_577, 80_454])
  }

  @Test(arguments: ["random", "text", "zeros"])
  func sizesStayInBounds(_ name: String) {
    let bytes =
      switch name {
      case "random": Content.random(400_000, seed: 2)
      case "text": Content.text(400_000, seed: 3)
      default: Content.zeros(400_000)
      }
    let chunks = cuts(bytes, ChunkerTests.small)
    #expect(chunks.dropLast().allSatisfy { (256...4096).contains($0.count) })
    #expect((1...4096).contains(chunks.last?.count ?? 0))
  }

  @Test func theAverageIsNearWhatIsAskedFor() {
    let chunks = cuts(Content.random(2_000_000, seed: 4), ChunkerTests.small)
    let average = 2_000_000 / chunks.count
    #expect((700...1600).contains(average))
  }

  @Test(arguments: [1, 70_000])
  func anInsertionMovesFewCuts(_ count: Int) {
    let bytes = Content.random(8 << 20, seed: 5)
    let changed = Array(bytes[..<100]) + Content.random(count, seed: 6) + Array(bytes[100...])
    let before = cuts(bytes, .standard).map { ObjectID(hashing: Array($0)) }
    let known = Set(before)
    let new = cuts(changed, .standard).map { ObjectID(hashing: Array($0)) }.filter { !known.contains($0) }
    #expect(before.count > 60)
    #expect(new.count <= 6)
  }

  /// The chunker needs only the next `maximum` bytes to find a cut.
  @Test func aCutDependsOnNothingBehindTheMaximum() {
    let bytes = Content.random(64 << 10, seed: 7)
    let chunker = Chunker(sizes: ChunkerTests.small)
    bytes.withUnsafeBytes { all in
      for start in stride(from: 0, to: 32 << 10, by: 511) {
        let long = chunker.firstCut(in: UnsafeRawBufferPointer(rebasing: all[start...]))
        let short = chunker.firstCut(in: UnsafeRawBufferPointer(rebasing: all[start..<start + 4096]))
        #expect(long == short)
        // A cut does not depend on the bytes after it, either.
        let exact = chunker.firstCut(in: UnsafeRawBufferPointer(rebasing: all[start..<start + long]))
        #expect(exact == long)
      }
    }
  }

  @Test(arguments: [0, 1, 255, 256])
  func shortContentIsOneChunk(_ count: Int) {
    let bytes = Content.random(count, seed: 8)
    let length = bytes.withUnsafeBytes { Chunker(sizes: ChunkerTests.small).firstCut(in: $0) }
    #expect(length == count)
  }

  @Test(arguments: [
    (63, 128, 256), (64, 64, 256), (64, 128, 128), (64, 100, 256), (256, 128, 512), (64, 128, 1 << 25),
    (0, 0, 0), (-64, 128, 256), (64, .min, 256),
  ])
  func refusesSizesOutOfOrder(_ minimum: Int, _ average: Int, _ maximum: Int) {
    #expect(ChunkSizes(minimum: minimum, average: average, maximum: maximum) == nil)
  }
}
