import MementoStore
import TestSupport
import Testing

struct ConfigTests {
  private func read(_ text: String) throws -> Config { try Config(text.bytes) }

  /// The settings of a config with no line but its format.
  private var standard: Config {
    var config = Config()
    config.features = []
    return config
  }

  @Test func comesBack() throws {
    var config = Config()
    #expect(try Config(config.encoded()) == config)
    config.compression = .zlib(level: 9)
    config.chunkSizes = try #require(ChunkSizes(minimum: 64, average: 128, maximum: 256))
    config.dataBlock = 4096
    config.metaBlock = 8 << 20
    #expect(try Config(config.encoded()) == config)
  }

  @Test func whatIsMissingIsStandard() throws {
    #expect(try read("format = 1") == standard)
    #expect(try read("\n# comment\n  \n  format=1  \r\nrequires =\n") == standard)
  }

  /// Whoever uses the store knows what they mean.
  @Test func linesWithOtherKeysAreLeftAsTheyAre() throws {
    var config = Config()
    config.otherLines = [ConfigLine(key: "folder", value: "/x")]
    let again = try Config(config.encoded())
    #expect(again.otherLines.map(\.bytes) == ["folder = /x".bytes])
    #expect(again.otherLines.map(\.number) == [8])
    #expect(again.encoded() == config.encoded())
    let lines = try Config("format = 1\n\n# x\n colour =  a = b \t\r\n".bytes + [0x78, 0x3d, 0xff]).otherLines
    #expect(lines.map(\.number) == [4, 5])
    #expect(lines.map(\.key) == ["colour", "x"])
    #expect(lines[0].value == "a = b")
    #expect(lines[1].bytes == [0x78, 0x3d, 0xff])
    var known = try Config("format = 1\ncolour = blue\n".bytes)
    #expect(known.faults == [])
    known.otherLines = []
    #expect(known == standard)
  }

  @Test(
    arguments: [
      ("0", 0), ("500", 500), ("500b", 500), ("2k", 2048), ("2K", 2048), ("1.5M", 1_572_864), ("1GiB", 1 << 30),
      ("0.5kb", 512), ("8191P", nil), ("7T", 7 << 40), ("", nil), ("k", nil), ("-1", nil), ("1.5", nil), ("1.k", nil),
      (".5k", nil),
      ("1 k", nil), ("1.2.3k", nil), ("99999999999999999999", nil), ("9999999999G", nil), ("8388608T", nil),
      ("١k", nil),
    ] as [(String, UInt64?)])
  func sizes(_ text: String, _ bytes: UInt64?) {
    #expect(SizeText.bytes(text) == bytes)
  }

  @Test(arguments: [
    "format = 2\n", "format = 2\ncompression = lzma\n", "format = 0\n", "format = 1\nrequires = sha3\n",
  ])
  func laterFormatsAreNamed(_ text: String) {
    #expect(outcome { try read(text) } == .newerFormat)
  }

  @Test func featuresAreKnownByTheirNames() throws {
    #expect(try read("format = 1\nrequires = two-locks\n") == Config())
    #expect(try read("format = 1\nrequires = two-locks  two-locks\n").features == [.twoLocks])
    for text in ["two-locks,", "two-locks sha3", "sha3 two-locks", "Two-Locks"] {
      #expect(outcome { try read("format = 1\nrequires = \(text)\n") } == .newerFormat, "\(text)")
    }
  }

  @Test func aCutFeatureIsDamage() {
    #expect(outcome { try read("format = 1\nrequires = two-loc") } == .damaged)
    #expect(outcome { try read("format = 1\nrequires = two-loc\n") } == .newerFormat)
    #expect(outcome { try read("format = 1\nrequires = sha3") } == .newerFormat)
  }

  @Test(arguments: [
    ("format = 1\nrequires =\nignore = \u{e9}\\ \n", "format = 1\nrequires = two-locks\nignore = \u{e9}\\ \n"),
    ("# requires = x\n format=1 \n\nnoise", "# requires = x\n format=1 \nrequires = two-locks\n\nnoise"),
    ("format = 1", "format = 1\nrequires = two-locks"),
    ("format = 1\n  requires  =   two-locks \n", "format = 1\nrequires = two-locks\n"),
  ])
  func aFeatureIsAdded(_ config: String, _ expected: String) throws {
    let made = ConfigFeature.twoLocks.added(to: config.bytes)
    #expect(made == expected.bytes)
    #expect(try Config(made).features == [.twoLocks])
  }

  @Test(arguments: [
    "", "# nothing\n", "format = one\n", "format = 99999999999999999999\n", "format 1\n", "compression = lzma\n",
    "\0\0\0\0", "# A memento store. What the keys mean: man 5 memento-format\nform",
  ])
  func withoutAFormatItIsDamaged(_ text: String) {
    #expect(outcome { try read(text) } == .damaged)
  }

  @Test(arguments: [
    "format = 1\ncompression = lzma\n", "format = 1\ncompression =\n", "format = 1\nchunk = 1 2\n",
    "format = 1\nchunk = 64 128\n", "format = 1\nchunk = 256 128 64\n", "format = 1\nchunk = 64 128 256 512\n",
    "format = 1\nchunk = 64 about 128 256\n", "format = 1\nchunk = 64 128 99999999999999999999\n",
    "format = 1\ndata-block = 4095\n", "format = 1\ndata-block = 8388609\n", "format = 1\nmeta-block = -1\n",
    "format = 1\nmeta-block = 64k\n", "format = 1\nnoise\n",
  ])
  func badValuesAreNamed(_ text: String) throws {
    var config = try read(text)
    #expect(outcome { try config.check() } == .badConfig)
    let fault = try #require(config.faults.first)
    #expect(config.faults.count == 1 && fault.line == 2 && !fault.reason.isEmpty)
    #expect(fault.text == text.split(separator: "\n").last.map(String.init))
    let other = ConfigFault(line: 1, text: "a = b", reason: "no")
    #expect(throws: StoreError.self) { try standard.check(besides: [other]) }
    // What it would set has its standard value.
    config.faults = []
    #expect(config == standard)
  }

  @Test func noiseDoesNotTrap() {
    let good = Config().encoded()
    for bit in 0..<good.count * 8 { _ = try? Config(Content.flipping(good, bit: bit)) }
    for seed in 0..<100 { #expect(outcome { try Config(Content.random(200, seed: UInt64(seed))) } != .done) }
  }
}
