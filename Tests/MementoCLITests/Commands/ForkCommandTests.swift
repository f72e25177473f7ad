import TestSupport
import Testing

@testable import MementoCLI

@Suite struct ForkCommandTests {
  private func folder() throws -> CommandFolder {
    let folder = try CommandFolder(files: "same")
    try folder.write("file", "one\n")
    try folder.done("save", "one")
    try folder.write("file", "two\n")
    try folder.done("save", "two")
    return folder
  }

  /// A place beside the folder.
  private func place(_ folder: CommandFolder, _ name: String = "fork") throws -> (
    outside: TemporaryDirectory, path: String
  ) {
    let outside = try TemporaryDirectory()
    return (outside, "\(outside.path)/\(name)")
  }

  @Test func aForkAndItsLine() throws {
    let folder = try folder()
    let (outside, path) = try place(folder)
    let made = try folder.memento("fork", "one", path)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output == "forked one \(try folder.id("one")) into \(path): 2 created; 8 B written\n")
    #expect(try outside.read("fork/file") == "one\n".bytes)
    let list = try folder.memento("fork", "--list")
    #expect(list.output == "\(path)  one \(try folder.id("one"))  1 step\n")
    let status = try folder.memento("-C", path, "status")
    #expect(status.output.hasPrefix("fork of \(folder.path)\nat one "))
    let overview = try folder.memento("-C", path)
    #expect(overview.output.hasPrefix("\(path), a fork of \(folder.path)\n2 states, "), "\(overview.output)")
    let forgotten = try folder.memento("fork", "--forget", path)
    #expect(forgotten.output == "forgot the fork \(path), with 1 step; its files stay\n")
    #expect(try folder.memento("fork", "--list").output == "" && outside.exists("fork/file"))
  }

  @Test func gcNamesForksThatAreNotThere() throws {
    let folder = try folder()
    let (outside, path) = try place(folder)
    try folder.done("fork", "one", path)
    #expect(try !folder.memento("gc").output.contains("fork"))
    #expect(try !folder.memento("gc", "--json").output.contains("fork"))
    try outside.rename("fork", to: "moved")
    let line =
      "kept the 1 step of the fork \(path), which is not there; `memento fork --forget \(path)` lets go of them\n"
    #expect(try folder.memento("gc").output.hasSuffix(line))
    #expect(try folder.memento("gc", "--dry-run").output.hasSuffix(line))
    let missing = try JSONValue(folder.memento("gc", "--json").outputBytes)["missing_forks"].list
    #expect(missing.map { $0["folder"].text } == [path] && missing[0]["state"].text == "missing")
    try folder.done("fork", "--forget", path)
    #expect(try !folder.memento("gc").output.contains("fork"))
  }

  @Test func documents() throws {
    let folder = try folder()
    let (outside, path) = try place(folder)
    let plan = try JSONValue(folder.memento("fork", "one", path, "--json", "-n").outputBytes)
    #expect(plan["id"] == .null && plan["dry_run"] == .bool(true) && !outside.exists("fork"))
    let made = try JSONValue(folder.memento("fork", "one", path, "--json").outputBytes)
    #expect(made["folder"].text == path && made["restore"]["created"].number == 2)
    let id = made["id"].text ?? ""
    let listed = try JSONValue(folder.memento("fork", "--list", "--json").outputBytes)["forks"].list
    #expect(
      listed.map { $0["id"].text } == [id] && listed[0]["state"].text == "ready" && listed[0]["steps"].number == 1)
    let record = try folder.memento("fork", "--list", "-z").output.split(separator: "\t").map(String.init)
    #expect(record[0] == id && record[2] == "ready" && record[3] == path + "\0")
    #expect(try JSONValue(folder.memento("-C", path, "status", "--json").outputBytes)["fork_of"].text == folder.path)
    #expect(try JSONValue(folder.memento("status", "--json").outputBytes)["fork_of"] == .null)
    let gone = try JSONValue(folder.memento("fork", "--forget", id, "--json").outputBytes)
    #expect(gone["forgotten"]["id"].text == id && gone["steps_removed"].number == 1)
  }

  @Test func whatIsRefusedSaysWhy() throws {
    let folder = try folder()
    let (outside, path) = try place(folder)
    let inside = try folder.memento("fork", "one", "in")
    #expect(inside.status == 2)
    #expect(
      inside.errors.hasSuffix(
        "memento: \(folder.path)/in is inside of \(folder.path), whose saves would hold the fork as well\n"
          + "hint: name a folder beside it\n"), "\(inside.errors)")
    try folder.done("fork", "one", path)
    let again = try folder.memento("fork", "two", path)
    #expect(again.status == 1 && again.errors.contains("\(path) is not empty\nhint: name a new or empty folder\n"))
    let unknown = try folder.memento("fork", "--forget", "\(outside.path)/other")
    #expect(unknown.status == 12)
    #expect(unknown.errors.contains("is no fork of this store\nhint: `memento fork --list` shows the forks\n"))
    let missing = try folder.memento("fork", "nothing", "\(outside.path)/other")
    #expect(missing.status == 12 && !outside.exists("other"))
    #expect(try folder.memento("fork").status == 2)
    #expect(try folder.memento("fork", "one").status == 2)
    #expect(try folder.memento("fork", "--list", "one").status == 2)
    #expect(try folder.memento("fork", "--list", "--forget", path).status == 2)
    #expect(try folder.memento("fork", "--forget").status == 2)
    #expect(try folder.memento("fork", "one", path, "-z").status == 2)
  }

  @Test func aCopyIsRefused() throws {
    let folder = try folder()
    let (outside, path) = try place(folder)
    try folder.done("fork", "one", path)
    _ = try Launch(["cp", "-a", path, "\(outside.path)/copy"], in: outside.path)
    let save = try folder.memento("-C", "\(outside.path)/copy", "save")
    #expect(save.status == 1)
    #expect(
      save.errors.contains(
        "\(outside.path)/copy is a copy of the fork \(path), which has the position\n"
          + "hint: make a fork of its own: memento -C \(path) fork @ DIR\n"), "\(save.errors)")
  }
}
