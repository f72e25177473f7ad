// The lines of `config` that are about the folder.

import MementoStore
import TestSupport
import Testing

@testable import MementoKit

struct FolderConfigTests {
  private func read(_ text: String) throws -> FolderConfig { FolderConfig(try Config(text.bytes)) }

  @Test func nothingIsSaidByTheKeysOfStorage() throws {
    #expect(FolderConfig(Config()) == FolderConfig())
    #expect(FolderConfig(try Config(Config().encoded())) == FolderConfig())
    #expect(Set(Config.keys).isDisjoint(with: FolderConfig.keys))
  }

  @Test func theFolderComesBack() throws {
    let path: [UInt8] = [0x2f, 0xff, 0x20, 0x0a, 0x25]
    var config = Config()
    config.otherLines = [FolderConfig.line(naming: BytePath(path))]
    let again = try Config(config.encoded())
    #expect(FolderConfig(again).folder == BytePath(path))
    #expect(again.encoded() == config.encoded())
  }

  @Test func allKeysAreRead() throws {
    let config = try read(
      """
      format = 1
      gitignore = yes
      exclude-caches = on
      cross-mounts = 1
      exclude-larger-than = 1.5k
      folder = /a%20b

      """)
    #expect(config.readsGitignore && config.excludesCaches && config.crossesMounts)
    #expect(config.largestFile == 1536)
    #expect(config.folder == BytePath("/a b"))
    #expect(config.faults == [] && config.unknownKeys == [])
    #expect(try read("format = 1\ngitignore = off\nexclude-caches = no\n") == FolderConfig())
  }

  @Test func patternsAreBytes() throws {
    let lines = try read("format = 1\n\n# x\nignore =  a\\  \t\r\nignore=#b \nprotect = !c\nprotect = a = b\\ \n")
    #expect(
      lines.ignored == [ConfigPattern(line: 4, pattern: "a\\ ".bytes), ConfigPattern(line: 5, pattern: "#b".bytes)])
    #expect(
      lines.protected == [
        ConfigPattern(line: 6, pattern: "!c".bytes), ConfigPattern(line: 7, pattern: "a = b\\ ".bytes),
      ])
    let bytes = FolderConfig(try Config("format = 1\nignore = ".bytes + [0xff, 0x2f, 0x0a]))
    #expect(bytes.ignored == [ConfigPattern(line: 2, pattern: [0xff, 0x2f])])
  }

  @Test func unknownKeysAreNoted() throws {
    let config = try read(
      "format = 1\ncolour = blue\nprotct = a\nExclude_Caches = true\nexclude-larger = 5\ncomprssion=x\n")
    #expect(config.faults == [])
    #expect(
      config.unknownKeys == [
        UnknownKey(line: 2, key: "colour"), UnknownKey(line: 3, key: "protct"),
        UnknownKey(line: 4, key: "Exclude_Caches"), UnknownKey(line: 5, key: "exclude-larger"),
        UnknownKey(line: 6, key: "comprssion"),
      ])
    #expect(
      config.unknownKeys.map(\.nearest) == [nil, "protect", "exclude-caches", "exclude-larger-than", "compression"])
    var known = config
    known.unknownKeys = []
    #expect(known == FolderConfig())
    let long = try read("format = 1\n" + String(repeating: "ignore", count: 1000) + " = x\n")
    #expect(long.unknownKeys.map(\.nearest) == [nil])
  }

  @Test(arguments: [
    "folder = %f", "folder = %zz", "ignore =", "protect =  ", "gitignore = maybe", "exclude-larger-than = much",
    "cross-mounts =",
  ])
  func badValuesAreNamed(_ line: String) throws {
    let config = try Config("format = 1\n\(line)\n".bytes)
    #expect(config.faults == [])
    var settings = FolderConfig(config)
    let fault = try #require(settings.faults.first)
    #expect(settings.faults.count == 1 && fault.line == 2 && fault.text == line && !fault.reason.isEmpty)
    // What it would set has its standard value.
    settings.faults = []
    #expect(settings == FolderConfig())
  }

  /// A fault of storage and one of the folder: the first line is named, and no copy is made of such a config.
  @Test func theFirstFaultIsNamed() throws {
    for (lines, first) in [
      ("gitignore = maybe\ncompression = lzma\n", "gitignore = maybe"),
      ("compression = lzma\ngitignore = maybe\n", "compression = lzma"), ("cross-mounts = x\n", "cross-mounts = x"),
    ] {
      let shop = try RepositoryFixture()
      let copy = try shop.storeFolder.read("backup/config".bytes)
      let repository = try shop.configured(lines)
      do {
        try repository.checkConfig()
        Issue.record("\(lines) is understood")
      } catch {
        #expect(error.code == .badConfig && error.message.hasSuffix(": \(first)"), "\(error)")
      }
      #expect(code { try repository.saveValues([]) } == .badConfig)
      #expect(try shop.storeFolder.read("backup/config".bytes) == copy)
    }
  }
}
