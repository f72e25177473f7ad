import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct ConfigChangeTests {
  private func changed(_ change: ConfigChange, _ text: String) throws -> String {
    String(decoding: try change.applied(to: text.bytes, in: .store, at: "/c").bytes, as: UTF8.self)
  }

  private func refused(_ change: ConfigChange, _ text: String = "format = 1\n", in place: ConfigChange.Place = .store)
    -> RepositoryError?
  {
    do throws(RepositoryError) {
      _ = try change.applied(to: text.bytes, in: place, at: "/c")
      return nil
    } catch {
      return error
    }
  }

  @Test func otherLinesStayAsTheyAre() throws {
    let text = "# mine\nformat = 1\n  gitignore =  true \t\n\nnoise\nignore = \u{e9}\\ \n# end"
    #expect(
      try changed(.set("gitignore", to: "no".bytes), text)
        == "# mine\nformat = 1\ngitignore = no\n\nnoise\nignore = \u{e9}\\ \n# end")
    #expect(
      try changed(.add("ignore", "b".bytes), text)
        == "# mine\nformat = 1\n  gitignore =  true \t\n\nnoise\nignore = \u{e9}\\ \nignore = b\n# end\n")
    #expect(
      try changed(.set("cross-mounts", to: "true".bytes), text)
        == text + "\ncross-mounts = true\n")
    #expect(try changed(.unset("ignore"), text) == "# mine\nformat = 1\n  gitignore =  true \t\n\nnoise\n# end")
    #expect(try changed(.set("protect", to: "p".bytes), "format = 1\n") == "format = 1\nprotect = p\n")
    #expect(try changed(.set("protect", to: "p".bytes), "format = 1") == "format = 1\nprotect = p\n")
    // The last of several lines of a key counts.
    #expect(
      try changed(.set("gitignore", to: "1".bytes), "gitignore = 0\nformat = 1\ngitignore = 0\n")
        == "gitignore = 0\nformat = 1\ngitignore = 1\n")
    #expect(try changed(.unset("gitignore"), "gitignore = 0\nformat = 1\ngitignore = 0\n") == "format = 1\n")
  }

  @Test func severalValuesAreToldApart() throws {
    let text = "format = 1\nignore = a\nignore = b\n"
    #expect(refused(.set("ignore", to: "c".bytes), text)?.reason == .severalValues)
    #expect(refused(.unset("ignore"), text)?.reason == .severalValues)
    #expect(refused(.unset("ignore", "c".bytes), text)?.code == .notSet)
    #expect(refused(.unset("protect"), text)?.code == .notSet)
    #expect(refused(.unsetAll("protect"), text)?.code == .notSet)
    #expect(try changed(.unset("ignore", "a".bytes), text) == "format = 1\nignore = b\n")
    #expect(try changed(.unsetAll("ignore"), text) == "format = 1\n")
    #expect(refused(.add("gitignore", "true".bytes), text)?.code == .invalidArgument)
  }

  @Test(arguments: [
    ("gitignore", "maybe"), ("compression", "lzma"), ("chunk", "3 2 1"), ("data-block", "1"),
    ("exclude-larger-than", "x"),
    ("ignore", ""), ("ignore", " a"), ("ignore", "a "), ("ignore", "a\nformat = 2"), ("ignore", "a\0"),
    ("folder", "%zz"),
    ("protect", "\t"),
  ])
  func valuesAreChecked(_ key: String, _ value: String) {
    #expect(refused(.set(key, to: value.bytes))?.reason == .unusableValue)
  }

  @Test func keysAreChecked() throws {
    #expect(refused(.set("ignroe", to: "a".bytes))?.message == "there is no key \"ignroe\"; did you mean \"ignore\"?")
    #expect(refused(.set("ignroe", to: "a".bytes))?.reason == .unknownKey)
    for key in ["format", "requires"] {
      #expect(refused(.set(key, to: "1".bytes))?.reason == .foreignKey)
      #expect(refused(.unsetAll(key))?.reason == .foreignKey)
    }
    #expect(refused(.set("trust", to: "/a".bytes))?.reason == .keyOfUser)
    #expect(refused(.set("trust", to: "a".bytes), "", in: .user)?.reason == .unusableValue)
    for key in ["compression", "folder", "format"] {
      #expect(refused(.set(key, to: "none".bytes), "", in: .user)?.reason == .foreignKey)
    }
    for value in ["/a", "~/a", "*"] { #expect(refused(.set("trust", to: value.bytes), "", in: .user) == nil) }
  }

  /// A pattern is bytes.
  @Test func patternsMayBeAnyBytes() throws {
    for pattern in [[0xff, 0x2f], "a\\ ".bytes, "#a".bytes, "!b = c".bytes] as [[UInt8]] {
      let done = try ConfigChange.add("ignore", pattern).applied(to: "format = 1\n".bytes, in: .store, at: "/c")
      #expect(done.after == [pattern])
      #expect(FolderConfig(try Config(done.bytes)).ignored.map(\.pattern) == [pattern])
    }
  }

  @Test func theConfigOfAStoreIsReplaced() throws {
    let shop = try RepositoryFixture()
    let before = try shop.storeFolder.read("config".bytes)
    let plan = try shop.repository.changeConfig(.add("ignore", "*.o".bytes), isDryRun: true)
    #expect(!plan.isCommitted && plan.added == ["*.o".bytes])
    #expect(try shop.storeFolder.read("config".bytes) == before)
    let done = try shop.repository.changeConfig(.add("ignore", "*.o".bytes))
    #expect(done.isCommitted && done.before == [] && done.after == ["*.o".bytes])
    let now = before + "ignore = *.o\n".bytes
    #expect(try shop.storeFolder.read("config".bytes) == now)
    #expect(try shop.storeFolder.read("backup/config".bytes) == BackupCopy.encode(now))
    #expect(try shop.reopened().folderConfig.ignored.map(\.pattern) == ["*.o".bytes])
    #expect(throws: RepositoryError.self) { try shop.repository.changeConfig(.set("gitignore", to: "x".bytes)) }
    #expect(try shop.storeFolder.read("config".bytes) == now)
  }

  /// What is not understood can be mended, and until then it is named where it stands.
  @Test func aFaultCanBeMended() throws {
    let shop = try RepositoryFixture()
    let copy = try shop.storeFolder.read("backup/config".bytes)
    let repository = try shop.configured("gitignore = maybe\ncross-mounts = no\n")
    let setting = try #require(try repository.settings().first { $0.key.name == "gitignore" })
    #expect(setting.values.map(\.problem) == ["not true or false"] && setting.values[0].source == .store)
    try repository.changeConfig(.set("cross-mounts", to: "yes".bytes))
    #expect(try shop.storeFolder.read("backup/config".bytes) == copy)
    try repository.changeConfig(.unset("gitignore"))
    #expect(try shop.storeFolder.read("backup/config".bytes) != copy)
    try shop.reopened().checkConfig()
  }

  @Test func whatHoldsIsTold() throws {
    let shop = try RepositoryFixture()
    _ = try shop.configured("ignore = a\ngitignore = false\n")
    var options = RepositoryFixture.quick
    options.userConfig = ConfigFile(
      path: "/u", bytes: "ignore = b\ngitignore = true\nexclude-caches = yes\ncompression = none\n".bytes)
    let repository = try Repository.find(from: BytePath(shop.folder.path), options: options)
    let settings = try repository.settings()
    func told(_ key: String) -> [String] {
      settings.first { $0.key.name == key }?.values.map {
        "\(String(decoding: $0.bytes, as: UTF8.self)) \($0.source)"
      } ?? []
    }
    #expect(settings.map(\.key) == ConfigKey.all)
    #expect(told("ignore") == ["b user", "a store"])
    #expect(told("gitignore") == ["false store"])
    #expect(told("exclude-caches") == ["yes user"])
    #expect(told("cross-mounts") == ["false default"])
    #expect(told("compression") == ["zstd:1 store"])
    #expect(told("exclude-larger-than") == [])
  }

  @Test func theConfigOfAUserIsMadeAndReplaced() throws {
    let directory = try TemporaryDirectory()
    let path = BytePath("\(directory.path)/.config/memento/config")
    let plan = try ConfigFile.changeOfUser(at: path, .add("ignore", "a".bytes), isDryRun: true)
    #expect(plan.after == ["a".bytes] && !directory.exists(".config"))
    try ConfigFile.changeOfUser(at: path, .add("ignore", "a".bytes))
    try ConfigFile.changeOfUser(at: path, .add("ignore", "b".bytes))
    #expect(try directory.read(".config/memento/config") == "ignore = a\nignore = b\n".bytes)
    #expect(try directory.status(".config/memento").permissions == 0o700)
    try ConfigFile.changeOfUser(at: path, .unsetAll("ignore"))
    #expect(try directory.read(".config/memento/config") == [])
    #expect(try directory.names(".config/memento") == ["config"])
  }

  /// `$XDG_CONFIG_HOME` may name a folder whose own parents are missing. Something else in its place stays.
  @Test func allFoldersOfTheConfigOfAUserAreMade() throws {
    let directory = try TemporaryDirectory()
    let path = BytePath("\(directory.path)/some/where/deep/memento/config")
    try ConfigFile.changeOfUser(at: path, .add("ignore", "a".bytes))
    #expect(try directory.read("some/where/deep/memento/config") == "ignore = a\n".bytes)
    #expect(try directory.status("some").permissions == 0o700)
    try directory.write("file", "kept".bytes)
    #expect(throws: RepositoryError.self) {
      try ConfigFile.changeOfUser(at: BytePath("\(directory.path)/file/memento/config"), .add("ignore", "a".bytes))
    }
    #expect(try directory.read("file") == "kept".bytes)
  }
}
