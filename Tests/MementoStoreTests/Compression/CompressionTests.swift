import MementoStore
import TestSupport
import Testing

struct CompressionTests {
  @Test(arguments: [
    ("none", Compression.none), ("zlib", .zlib(level: 6)), ("zlib:1", .zlib(level: 1)), ("zlib:9", .zlib(level: 9)),
    ("zstd", .zstd(level: 1)), ("zstd:19", .zstd(level: 19)),
  ])
  func isRead(_ text: String, _ expected: Compression) {
    #expect(Compression(text) == expected)
    #expect(Compression(expected.description) == expected)
  }

  @Test(arguments: [
    "", "lzma", "ZLIB", "none:1", "none:", "zlib:", "zlib:0", "zlib:10", "zlib:-1", "zstd:0", "zstd:20", "zstd:1:2",
    "zstd:x", "zstd: 1", ":1", "zstd:99999999999999999999",
  ])
  func isRefused(_ text: String) {
    #expect(Compression(text) == nil)
  }

  /// The check value in the catalogue of CRC algorithms.
  @Test func checksumIsTheKnownOne() {
    #expect(crc32("123456789".bytes) == 0xcbf4_3926)
    #expect(crc32("123456789".bytes[...]) == 0xcbf4_3926)
    #expect(crc32([UInt8]()) == 0)
  }
}
