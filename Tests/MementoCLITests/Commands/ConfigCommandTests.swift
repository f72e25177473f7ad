import TestSupport
import Testing

@testable import MementoCLI

@Suite struct ConfigCommandTests {
  @Test func allKeysAreShown() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("init")
    try folder.done("config", "ignore", "*.o")
    let lines = try folder.done("config").output.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.hasPrefix("ignore ") && $0.contains("*.o") && $0.hasSuffix(".memento/config:8") })
    #expect(
      lines.contains { $0.hasPrefix("gitignore ") && $0.contains(" false ") && $0.hasSuffix(" default") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("exclude-larger-than ") && $0.hasSuffix("not set") })
    let document = try folder.document("config")
    #expect(document["schema"] == .number(1))
    let ignore = try #require(document["settings"].list.first { $0["key"].text == "ignore" })
    #expect(ignore["repeatable"] == .bool(true) && ignore["default"] == .null)
    #expect(ignore["values"].list.map { $0["value"].text } == ["*.o"])
    #expect(ignore["values"].list.first?["source"] == .text("store"))
    #expect(ignore["values"].list.first?["line"] == .number(8))
    #expect(try folder.done("config", "-v").output.contains("read .gitignore as well as .mementoignore"))
  }

  @Test func valuesAreReadSetAndUnset() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("init")
    #expect(try folder.done("config", "gitignore").output == "false\n")
    #expect(try folder.memento("config", "exclude-larger-than").status == 1)
    let before = try folder.read(".memento/config")
    #expect(
      try folder.done("config", "-n", "gitignore", "true").output == "would set gitignore = true in .memento/config\n")
    #expect(try folder.read(".memento/config") == before)
    #expect(try folder.done("config", "gitignore", "true").output == "set gitignore = true in .memento/config\n")
    #expect(
      try folder.done("config", "gitignore", "false").output == "set gitignore = false in .memento/config (was true)\n")
    #expect(try folder.done("config", "gitignore", "false").output == "gitignore is so already in .memento/config\n")
    try folder.done("config", "--add", "ignore", "a")
    try folder.done("config", "--add", "ignore", "b")
    let several = try folder.memento("config", "ignore", "c")
    #expect(several.status == 2 && several.errors.contains("has 2 values") && several.errors.contains("--add"))
    #expect(try folder.done("config", "--unset", "ignore", "a").output == "unset ignore = a in .memento/config\n")
    #expect(try folder.done("config", "ignore").output == "b\n")
    #expect(try folder.memento("config", "--unset", "ignore", "zzz").status == 1)
    let document = try folder.document("config", "--unset-all", "ignore")
    #expect(document["before"].list.map { $0["value"].text } == ["b"] && document["after"] == .list([]))
    #expect(document["key"] == .text("ignore") && document["dry_run"] == .bool(false))
    #expect(try folder.done("config", "-q", "compression", "zstd:3").output.isEmpty)
    try folder.done("save", "one")
    try folder.done("verify")
  }

  @Test func whatIsWrongIsNamed() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("init")
    for (arguments, text) in [
      (["config", "ignroe"], "there is no key \"ignroe\"; did you mean \"ignore\"?"),
      (["config", "ignroe", "x"], "there is no key \"ignroe\"; did you mean \"ignore\"?"),
      (["config", "gitignore", "perhaps"], "gitignore = perhaps: not true or false"),
      (["config", "format", "2"], "memento alone writes format"),
      (["config", "trust", "/a"], "trust counts in a user's config only"),
      (["config", "--user", "compression"], "neither XDG_CONFIG_HOME nor HOME"),
      (["config", "--add", "ignore"], "--add needs a KEY and a VALUE"),
      (["config", "--add", "--unset", "ignore", "a"], "exclude each other"),
      (["config", "--unset"], "a KEY is missing"),
    ] {
      let run = try CommandRun(bytes: arguments.map(\.bytes), in: folder.path)
      #expect(run.status == 2 && run.output.isEmpty && run.errors.contains(text), "\(arguments) \(run.errors)")
    }
    #expect(try CommandFolder().memento("config").status == 10)
  }

  /// A config that stops every other command can be put right with this one.
  @Test func aBadConfigCanBeCorrected() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.write(".memento/config", folder.read(".memento/config") + "gitignore = perhaps\n")
    #expect(try folder.memento("save").status == 2)
    #expect(try folder.done("config").output.contains("perhaps"))
    try folder.done("config", "gitignore", "yes")
    try folder.done("save")
  }

  @Test func theUsersConfigHoldsBelow() throws {
    let home = try CommandFolder()
    let folder = try CommandFolder(files: "a.o", "b")
    let environment = ["HOME": home.path]
    try folder.done("init")
    func memento(_ arguments: String...) throws -> CommandRun {
      try CommandRun(bytes: arguments.map(\.bytes), in: folder.path, environment: environment)
    }
    #expect(
      try memento("config", "--user", "--add", "ignore", "*.o").output
        == "set ignore = *.o in ~/.config/memento/config\n")
    #expect(try memento("config", "--user", "ignore").output == "*.o\n")
    #expect(try memento("config").output.contains("~/.config/memento/config:1"))
    #expect(try memento("save", "one").status == 0)
    #expect(try memento("ls", "one").output == "b\n")
    #expect(try memento("check-ignore", "-v", "a.o").output.contains(".config/memento/config:1:*.o"))
    #expect(try memento("config", "--user", "compression", "none").status == 2)
    // A line that stops other commands does not stop this one.
    try home.write(".config/memento/config", "ignore = *.o\ntrust = here\n")
    #expect(try memento("list").status == 2)
    let mended = try memento("config", "--user", "--unset", "trust")
    #expect(mended.status == 0, "\(mended.errors)")
    #expect(try memento("list").status == 0)
    #expect(try home.read(".config/memento/config") == "ignore = *.o\n")
  }
}
