import MementoStore
import TestSupport
import Testing

struct ConfigTests {
  private func read(_ text: String) throws -> Config { try Config(text.bytes) }

  @Test func comesBack() throws {
    var config = Config()
    #expect(try Config(config.encoded()) == config)
    config.compression = .zlib(level: 9)
    config.chunkSizes = try #require(ChunkSizes(minimum: 64, average: 128, maximum: 256))
    config.dataBlock = 4096
    config.metaBlock = 8 << 20
    config.folder = [0x2f, 0xff, 0x20, 0x0a, 0x25]
    #expect(try Config(config.encoded()) == config)
  }

  @Test func whatIsMissingIsStandard() throws {
    #expect(try read("format = 1") == Config())
    #expect(try read("\n# comment\n  \n  format=1  \r\nrequires =\n") == Config())
  }

  @Test func unknownKeysAreIgnored() throws {
    #expect(try read("format = 1\ncolour = blue\nhook = rm -rf /\n") == Config())
  }

  @Test(arguments: [
    "format = 2\n", "format = 2\ncompression = lzma\n", "format = 0\n", "format = 1\nrequires = sha3\n",
  ])
  func laterFormatsAreNamed(_ text: String) {
    #expect(outcome { try read(text) } == .newerFormat)
  }

  @Test(arguments: [
    "", "# nothing\n", "format = one\n", "format = 99999999999999999999\n", "format 1\n",
    "format = 1\ncompression = lzma\n", "format = 1\ncompression =\n", "format = 1\nchunk = 1 2\n",
    "format = 1\nchunk = 64 128\n", "format = 1\nchunk = 256 128 64\n", "format = 1\nchunk = 64 128 256 512\n",
    "format = 1\nchunk = 64 about 128 256\n", "format = 1\nchunk = 64 128 99999999999999999999\n",
    "format = 1\ndata-block = 4095\n", "format = 1\ndata-block = 8388609\n", "format = 1\nmeta-block = -1\n",
    "format = 1\nmeta-block = 64k\n", "format = 1\nfolder = %f\n", "format = 1\nfolder = %zz\n", "format = 1\nnoise\n",
  ])
  func badValuesAreRefused(_ text: String) {
    #expect(outcome { try read(text) } == .badConfig)
  }

  @Test func noiseDoesNotTrap() {
    let good = Config().encoded()
    for bit in 0..<good.count * 8 { _ = try? Config(Content.flipping(good, bit: bit)) }
    for seed in 0..<100 { #expect(outcome { try Config(Content.random(200, seed: UInt64(seed))) } != .done) }
  }
}
