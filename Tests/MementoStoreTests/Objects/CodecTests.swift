import MementoStore
import TestSupport
import Testing

struct CodecTests {
  static let compressions = [
    Compression.none, .zlib(level: 1), .zlib(level: 9), .zstd(level: 1), .zstd(level: 19),
  ]
  static let packing = Array(compressions.dropFirst())

  static let contents: [String: [UInt8]] = [
    "empty": [], "one byte": [7], "text": Content.text(10_000, seed: 1), "random": Content.random(10_000, seed: 2),
    "zeros": Content.zeros(100_000), "a block": Content.text(300 << 10, seed: 3) + Content.random(212 << 10, seed: 4),
  ]

  private func pack(_ bytes: [UInt8], _ compression: Compression) -> (codec: Codec, stored: [UInt8]) {
    let compressor = Compressor(compression, capacity: bytes.count)
    return bytes.withUnsafeBytes { block in compressor.compress(block) { ($0, Array($1)) } }
  }

  /// Nil when the bytes are refused. In any case, the bytes after the declared size must not change.
  private func unpack(_ codec: Codec, _ stored: [UInt8], size: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0xaa, count: size + 256)
    let decompressor = Decompressor()
    let fits = stored.withUnsafeBytes { stored in
      buffer.withUnsafeMutableBytes { buffer in
        decompressor.unpack(codec, stored, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]))
      }
    }
    #expect(buffer[size...].allSatisfy { $0 == 0xaa })
    return fits ? Array(buffer[..<size]) : nil
  }

  @Test(arguments: compressions, contents.keys.sorted())
  func comesBack(_ compression: Compression, _ name: String) throws {
    let bytes = try #require(CodecTests.contents[name])
    let (codec, stored) = pack(bytes, compression)
    #expect(unpack(codec, stored, size: bytes.count) == bytes)
    #expect(stored.count <= bytes.count)
  }

  @Test(arguments: compressions)
  func storesWhatDoesNotShrink(_ compression: Compression) {
    #expect(pack(Content.random(100_000, seed: 5), compression).codec == .stored)
    #expect(pack([1], compression).codec == .stored)
    #expect(pack([], compression).codec == .stored)
  }

  @Test(arguments: packing)
  func packsWhatShrinks(_ compression: Compression) {
    let (codec, stored) = pack(Content.text(100_000, seed: 6), compression)
    #expect(codec != .stored)
    #expect(stored.count < 50_000)
  }

  @Test func aBlockLargerThanTheCapacityIsStillKept() {
    let bytes = Content.random(200_000, seed: 7)
    for compression in CodecTests.compressions {
      let compressor = Compressor(compression, capacity: 1000)
      let (codec, stored) = bytes.withUnsafeBytes { block in compressor.compress(block) { ($0, Array($1)) } }
      #expect(unpack(codec, stored, size: bytes.count) == bytes)
    }
  }

  @Test(arguments: compressions)
  func refusesAWrongSize(_ compression: Compression) {
    let bytes = Content.text(10_000, seed: 8)
    let (codec, stored) = pack(bytes, compression)
    for size in [0, 1, 9_999, 10_001, 20_000] {
      #expect(unpack(codec, stored, size: size) == nil)
    }
  }

  @Test(arguments: packing)
  func refusesAStreamThatEndsTooEarly(_ compression: Compression) {
    let bytes = Content.text(2_000, seed: 9)
    let (codec, stored) = pack(bytes, compression)
    for length in 0..<stored.count {
      #expect(unpack(codec, Array(stored.prefix(length)), size: bytes.count) == nil)
    }
  }

  @Test(arguments: packing)
  func refusesAStreamThatGoesOn(_ compression: Compression) {
    let bytes = Content.text(2_000, seed: 10)
    let (codec, stored) = pack(bytes, compression)
    let tails = [
      [0], Content.random(10, seed: 11), stored,
      // A skippable frame and an empty frame, as in RFC 8878.
      [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3],
      [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00],
    ]
    for tail in tails {
      #expect(unpack(codec, stored + tail, size: bytes.count) == nil)
    }
  }

  @Test(arguments: packing)
  func damageNeverWritesBeyondTheSize(_ compression: Compression) {
    let bytes = Content.text(3_000, seed: 12)
    let (codec, stored) = pack(bytes, compression)
    var refused = 0
    for bit in stride(from: 0, to: stored.count * 8, by: 11) {
      let found = unpack(codec, Content.flipping(stored, bit: bit), size: bytes.count)
      if found == nil { refused += 1 }
      // zlib has a checksum of its own. For zstd, the id of the blob is the check.
      if codec == .zlib { #expect(found == nil || found == bytes) }
    }
    #expect(refused > 0)
  }

  @Test(arguments: [Codec.zlib, .zstd])
  func refusesWhatIsNoStream(_ codec: Codec) {
    for seed in 0..<100 {
      let noise = Content.random(seed, seed: UInt64(seed) + 100)
      #expect(unpack(codec, noise, size: 1000) == nil)
    }
  }

  @Test(arguments: packing)
  func aBombIsStoppedAtTheDeclaredSize(_ compression: Compression) {
    let (codec, stored) = pack(Content.zeros(8 << 20), compression)
    #expect(stored.count < 1 << 16)
    #expect(unpack(codec, stored, size: 1000) == nil)
    #expect(unpack(codec, stored, size: 0) == nil)
  }

  /// RFC 1950 with FDICT: the stream needs a dictionary that the reader does not have.
  @Test func refusesADictionary() {
    #expect(unpack(.zlib, [0x78, 0xbb, 0, 0, 0, 1, 0x4b, 0x04, 0x00, 0, 0x62, 0, 0x62], size: 1) == nil)
  }
}
