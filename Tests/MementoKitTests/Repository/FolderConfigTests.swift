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
  }

  /// The table names all keys that the readers know, and its defaults are what holds without a line.
  @Test func theTableIsThatOfTheReaders() throws {
    #expect(Set(Config.keys).isSubset(of: ConfigKey.all.map(\.name)))
    #expect(Set(ConfigKey.all.map(\.name)).count == ConfigKey.all.count)
    let samples = [
      "exclude-larger-than": "20M", "folder": "/a", "ignore": "*.o", "protect": "a", "trust": "/a", "remote": "nas",
      "auto-push": "nas", "s3-endpoint": "https://host:9000", "s3-region": "eu-1", "s3-path-style": "true",
    ]
    for key in ConfigKey.all where !key.isFixed {
      let value = try #require(key.standard ?? samples[key.name], "\(key.name)")
      let text = "\(key.name) = \(value)\n"
      let standard = try read("format = 1\n")
      let ofStore = try Config("format = 1\n\(text)".bytes)
      let folder = FolderConfig(ofStore)
      #expect(ofStore.faults == [] && folder.faults == [])
      #expect(folder.unknownKeys.isEmpty == key.isOfStore, "\(key.name)")
      if key.standard != nil {
        #expect(folder == standard, "\(key.name)")
        var plain = ofStore
        plain.otherLines = []
        #expect(plain == (try Config("format = 1\n".bytes)))
      }
      // In the config of a user those count that the table says.
      let ofUser = FolderConfig(Config(), below: ConfigFile(path: "/c", bytes: text.bytes))
      #expect(ofUser.faults == [] && ofUser.unknownKeys == [])
      #expect(key.isOfUser || ofUser == FolderConfig())
    }
  }

  @Test func aUsersConfigLiesBelow() throws {
    let user = ConfigFile(
      path: "/c",
      bytes: "# x\nignore = *.o\ngitignore = true\nexclude-larger-than = 1k\nprotect = p\nfolder = /x\n".bytes)
    let config = FolderConfig(
      try Config("format = 1\nignore = !a.o\ngitignore = false\n".bytes), below: user)
    #expect(!config.readsGitignore && config.largestFile == 1024 && config.folder == nil)
    #expect(
      config.ignored == [
        ConfigPattern(line: 2, pattern: "*.o".bytes, isOfUser: true), ConfigPattern(line: 2, pattern: "!a.o".bytes),
      ])
    #expect(config.protected == [ConfigPattern(line: 5, pattern: "p".bytes, isOfUser: true)])
    let bad = FolderConfig(
      try Config("format = 1\ngitignore = x\n".bytes), below: ConfigFile(path: "/c", bytes: "cross-mounts = x".bytes))
    #expect(bad.faults.map(\.file) == ["/c", nil])
    // The config of the store comes first.
    #expect(throws: StoreError.self) { try Config("format = 1\n".bytes).check(besides: bad.faults) }
    do throws(StoreError) {
      try Config("format = 1\n".bytes).check(besides: bad.faults)
    } catch {
      #expect(RepositoryError(error).message == "config: line 2: not true or false: gitignore = x")
    }
  }

  @Test func rulesOfAUserAreNamedByTheirFile() throws {
    let shop = try RepositoryFixture()
    for name in ["a.o", "b.o", "c"] { try shop.folder.write(name.bytes, name.bytes) }
    try shop.configured("ignore = !a.o\n").save(SaveOptions(name: "x"))
    var options = RepositoryFixture.quick
    options.userConfig = ConfigFile(path: "/home/me/config", bytes: "trust = /\nignore = *.o\n".bytes)
    let repository = try Repository.find(from: BytePath(shop.folder.path), options: options)
    let reasons = try repository.ignoreReasons(for: ["a.o", "b.o", "c"])
    #expect(reasons.map { $0?.isIgnoring } == [false, true, nil])
    #expect(reasons[1]?.rule?.source == "/home/me/config" && reasons[1]?.rule?.line == 2)
    #expect(reasons[0]?.rule?.source == ".memento/config")
    options.userConfig = ConfigFile(path: "/home/me/config", bytes: "gitignore = perhaps\n".bytes)
    let wrong = try Repository.find(from: BytePath(shop.folder.path), options: options)
    do {
      try wrong.checkConfig()
      Issue.record("it is understood")
    } catch {
      #expect(error.message == "/home/me/config: line 1: not true or false: gitignore = perhaps")
    }
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
