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
    config.folder = [0x2f, 0xff, 0x20, 0x0a, 0x25]
    #expect(try Config(config.encoded()) == config)
  }

  @Test func whatIsMissingIsStandard() throws {
    #expect(try read("format = 1") == standard)
    #expect(try read("\n# comment\n  \n  format=1  \r\nrequires =\n") == standard)
  }

  @Test func patternsAreBytes() throws {
    var config = Config()
    config.ignored = [ConfigPattern(line: 9, pattern: "*.o".bytes), ConfigPattern(line: 10, pattern: [0xff, 0x2f])]
    config.protected = [ConfigPattern(line: 11, pattern: "a = b\\ ".bytes)]
    config.readsGitignore = true
    config.excludesCaches = true
    config.largestFile = 1500
    config.crossesMounts = true
    let read = try Config(config.encoded())
    #expect(read.ignored.map(\.pattern) == config.ignored.map(\.pattern))
    #expect(read.protected.map(\.pattern) == config.protected.map(\.pattern))
    #expect(read.readsGitignore && read.excludesCaches && read.crossesMounts && read.largestFile == 1500)
    let lines = try Config("format = 1\n\n# x\nignore =  a\\  \t\r\nignore=#b \nprotect = !c\n".bytes)
    #expect(
      lines.ignored == [ConfigPattern(line: 4, pattern: "a\\ ".bytes), ConfigPattern(line: 5, pattern: "#b".bytes)])
    #expect(lines.protected == [ConfigPattern(line: 6, pattern: "!c".bytes)])
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

  @Test func unknownKeysAreNoted() throws {
    let config = try read("format = 1\ncolour = blue\nprotct = a\nExclude_Caches = true\nexclude-larger = 5\n")
    #expect(config.faults == [])
    #expect(
      config.unknownKeys == [
        UnknownKey(line: 2, key: "colour", nearest: nil), UnknownKey(line: 3, key: "protct", nearest: "protect"),
        UnknownKey(line: 4, key: "Exclude_Caches", nearest: "exclude-caches"),
        UnknownKey(line: 5, key: "exclude-larger", nearest: "exclude-larger-than"),
      ])
    var known = config
    known.unknownKeys = []
    #expect(known == standard)
    let long = try read("format = 1\n" + String(repeating: "ignore", count: 1000) + " = x\n")
    #expect(long.unknownKeys.map(\.nearest) == [nil])
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
    "format = 1\nmeta-block = 64k\n", "format = 1\nfolder = %f\n", "format = 1\nfolder = %zz\n", "format = 1\nnoise\n",
    "format = 1\nignore =\n", "format = 1\nprotect =  \n", "format = 1\ngitignore = maybe\n",
    "format = 1\nexclude-larger-than = much\n", "format = 1\ncross-mounts =\n",
  ])
  func badValuesAreNamed(_ text: String) throws {
    var config = try read(text)
    #expect(outcome { try config.check() } == .badConfig)
    let fault = try #require(config.faults.first)
    #expect(config.faults.count == 1 && fault.line == 2 && !fault.reason.isEmpty)
    #expect(fault.text == text.split(separator: "\n").last.map(String.init))
    // The setting has its default value.
    config.faults = []
    #expect(config == standard)
  }

  @Test func noiseDoesNotTrap() {
    let good = Config().encoded()
    for bit in 0..<good.count * 8 { _ = try? Config(Content.flipping(good, bit: bit)) }
    for seed in 0..<100 { #expect(outcome { try Config(Content.random(200, seed: UInt64(seed))) } != .done) }
  }
}
