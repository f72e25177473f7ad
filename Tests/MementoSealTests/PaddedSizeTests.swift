import Testing

@testable import MementoSeal

struct PaddedSizeTests {
  @Test(
    arguments: [
      (0, 0), (1, 1), (2, 2), (3, 3), (8, 8), (9, 10), (15, 16), (100, 104), (1000, 1024), (65536, 65536),
      (65537, 67584), (1_000_000, 1_015_808), (1 << 40, 1 << 40), ((1 << 40) + 1, (1 << 40) + (1 << 34)),
      (SealedStream.maximumSize, SealedStream.maximumSize),
    ] as [(UInt64, UInt64)])
  func isThatOfThePaper(_ sizes: (UInt64, UInt64)) {
    #expect(PaddedSize.of(sizes.0) == sizes.1)
  }

  @Test func growsBySmallSteps() {
    var previous: UInt64 = 0
    for size in 0..<UInt64(100_000) {
      let padded = PaddedSize.of(size)
      #expect(padded >= size && padded >= previous)
      #expect((padded - size) * 100 <= size * 12)
      #expect(PaddedSize.of(padded) == padded)
      previous = padded
    }
    #expect(Set((UInt64(1)..<100_000).map { PaddedSize.of($0) }).count < 200)
  }

  @Test func sizesAreThoseOfTheStream() {
    #expect(SealedStream.storedSize(of: 0) == 72 + 16)
    #expect(SealedStream.storedSize(of: 7) == 72 + 7 + 16)
    #expect(SealedStream.storedSize(of: 65536) == 72 + 65536 + 16)
    #expect(SealedStream.storedSize(of: 65537) == 72 + 67584 + 32)
    #expect(SealedStream.storedSize(of: SealedStream.maximumSize + 1) == nil)
    #expect(SealedStream.storedSize(of: .max) == nil)
  }
}
