import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

/// `~/.config/memento/config`.
@Suite struct UserConfigTests {
  private func config(_ text: String) throws -> UserConfig {
    try UserConfig(text.bytes, BytePath("/c"), home: "/home/me".bytes)
  }

  @Test func pathsThatAreTrusted() throws {
    let config = try config("# mine\n\ntrust = /srv/a b \r\ntrust=/data/*\n  trust  =  ~/x\ntrust = *")
    #expect(config.trustedPaths == ["/srv/a b", "/data/*", "/home/me/x", "*"])
    #expect(config.notes.isEmpty)
  }

  @Test func unknownKeysAreNamed() throws {
    let config = try config("trsut = /a\ntrust = /b\n")
    #expect(config.trustedPaths == ["/b"])
    #expect(config.notes == ["/c, line 1: unknown key \"trsut\"; the one that is known is trust"])
  }

  @Test(arguments: ["trust", "trust = a", "trust =", "\ntrust = ./*"])
  func wrongLinesAreRefused(_ text: String) {
    #expect(throws: ErrorReport.self) { try config(text) }
  }

  @Test func itIsReadFromTheUsersFolderAlone() throws {
    let home = try CommandFolder(files: "a")
    try home.write(".config/memento/config", "bad")
    try home.write("xdg/memento/config", "other = 1")
    let folder = try CommandFolder(files: "b")
    try folder.done("save", "one")
    try folder.write(".config/memento/config", "bad")
    #expect(try folder.memento("list").status == 0)
    let run = try folder.memento("list", environment: ["HOME": home.path])
    #expect(run.status == 2)
    #expect(
      run.errors == "memento: \(home.path)/.config/memento/config, line 1: it is not of the form \"key = value\"\n")
    let other = try folder.memento("list", environment: ["HOME": home.path, "XDG_CONFIG_HOME": "\(home.path)/xdg"])
    #expect(other.status == 0)
    #expect(other.errors.contains("line 1: unknown key \"other\""))
    #expect(try folder.memento("list", environment: ["HOME": folder.path + "/no"]).errors.isEmpty)
  }
}
