import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

/// `~/.config/memento/config`.
@Suite struct UserConfigTests {
  private func config(_ text: String) -> UserConfig {
    UserConfig(text.bytes, BytePath("/c"), home: "/home/me".bytes)
  }

  @Test func pathsThatAreTrusted() {
    let config = config("# mine\n\ntrust = /srv/a b \r\ntrust=/data/*\n  trust  =  ~/x\ntrust = *")
    #expect(config.trustedPaths == ["/srv/a b", "/data/*", "/home/me/x", "*"])
    #expect(config.notes.isEmpty)
  }

  @Test func unknownKeysAreNamed() {
    let config = config("trst = /a\ntrust = /b\n")
    #expect(config.trustedPaths == ["/b"])
    #expect(config.notes == ["/c, line 1: unknown key \"trst\"; did you mean \"trust\"?"])
    let other = self.config("colour = blue\nignore = *.o\ncompression = none\n")
    #expect(
      other.notes == [
        "/c, line 1: unknown key \"colour\"", "/c, line 3: compression counts in the config of a store only",
      ])
  }

  @Test(arguments: ["trust", "trust = a", "trust =", "\ntrust = ./*"])
  func wrongLinesAreRefused(_ text: String) {
    #expect(config(text).failure?.status == .usage)
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
