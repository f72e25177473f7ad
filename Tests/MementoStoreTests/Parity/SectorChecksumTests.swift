import TestSupport
import Testing

@testable import MementoStore

struct SectorChecksumTests {
  /// Values of the reference implementation.
  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)])
  func isXXH64(_ text: String, _ sum: UInt64) {
    #expect(text.bytes.withUnsafeBytes { SectorChecksum.xxh64($0) } == sum)
  }

  @Test func everyBitCounts() {
    let bytes = Content.random(ParityFormat.sector, seed: 1)
    var sums: Set<UInt32> = [bytes.withUnsafeBytes { SectorChecksum.of(sector: $0) }]
    for bit in stride(from: 0, to: bytes.count * 8, by: 37) {
      sums.insert(Content.flipping(bytes, bit: bit).withUnsafeBytes { SectorChecksum.of(sector: $0) })
    }
    #expect(sums.count == (bytes.count * 8 + 36) / 37 + 1)
  }
}
