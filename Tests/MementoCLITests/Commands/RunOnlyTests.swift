import TestSupport
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `run --only`, and what the documents of `run` and `save` tell programs.
@Suite struct RunOnlyTests {
  /// In process the folder cannot be entered: the script does it.
  private func script(_ folder: CommandFolder, _ text: String) -> [String] {
    ["--", "sh", "-c", "cd '\(folder.path)'; \(text)"]
  }

  private func run(_ folder: CommandFolder, _ options: [String], _ text: String) throws -> CommandRun {
    try CommandRun(bytes: (["run"] + options + script(folder, text)).map(\.bytes), in: folder.path)
  }

  private func document(_ run: CommandRun) throws -> JSONValue {
    try JSONValue((try #require(run.errors.split(separator: "\n").last) + "\n").bytes)
  }

  private func paths(_ value: JSONValue) -> [String] {
    value.list.map { "\($0["change"].text ?? "?") \($0["path"].text ?? "?")" }
  }

  @Test func whatIsOutsideIsTakenBackAndNamed() throws {
    let folder = try CommandFolder(files: "src/a", "etc/b", "gone")
    try folder.done("save", "one")
    let outside = try FolderRecord(of: folder.path + "/etc")
    let run = try run(
      folder, ["--only", "src/**"], "echo x >> src/a; echo n > src/new; echo y >> etc/b; echo z > etc/c; rm gone; true")
    #expect(run.status == 125)
    #expect(run.errors.contains("memento: outside of --only, taken back: etc/b (modified)\n"))
    #expect(run.errors.contains("memento: outside of --only, taken back: etc/c (added)\n"))
    #expect(run.errors.contains("memento: outside of --only, taken back: gone (removed)\n"))
    #expect(run.errors.contains("; 3 outside of --only taken back; saved as "), "\(run.errors)")
    #expect(try folder.read("src/a") == "src/ax\n" && folder.read("src/new") == "n\n" && folder.read("gone") == "gone")
    #expect(try FolderRecord(of: folder.path + "/etc").differences(from: outside) == [])
    #expect(try folder.done("status").output.contains("nothing changed"))
    // Nothing is lost: what was taken back is one step away.
    try folder.done("undo")
    #expect(try folder.read("etc/c") == "z\n" && folder.read("etc/b") == "etc/by\n" && !folder.directory.exists("gone"))
  }

  @Test func theDocumentTellsAll() throws {
    let folder = try CommandFolder(files: "src/a", "b")
    try folder.done("save", "one")
    let id = try folder.fullID("one")
    let run = try run(
      folder, ["--json", "--only", "src/**", "--only", "*.md"],
      "echo x > src/n; echo y > b; echo z > r.md; exit 3")
    #expect(run.status == 125)
    let told = try document(run)
    #expect(told["status"] == .number(3) && told["exit_status"] == .number(125))
    #expect(paths(told["changes"]) == ["modified b", "added r.md", "added src/n"])
    #expect(told["changes_omitted"] == .number(0) && told["taken_back_omitted"] == .number(0))
    #expect(paths(told["taken_back"]) == ["modified b"])
    #expect(told["undo"] == .text("memento restore \(id)"))
    #expect(told["now"] == (try folder.document("status"))["at"]["id"])
    #expect(told["now"] != told["after"]["id"])
    try folder.done("restore", id)
    #expect(try folder.directory.names().sorted() == [".memento", "b", "src"] && folder.read("b") == "b")
  }

  @Test func whoStaysInsideIsLeftAlone() throws {
    let folder = try CommandFolder(files: "src/a")
    try folder.done("save", "one")
    let done = try run(folder, ["--only", "src/**", "--name", "exp"], "echo x > src/n")
    #expect(done.status == 0 && done.errors.contains("; saved as exp "), "\(done.errors)")
    #expect(try folder.done("diff", "--name-status", "exp~1", "exp").output == "A src/n\n")
    let nothing = try run(folder, ["--only", "src/**", "--json"], "exit 4")
    #expect(nothing.status == 4)
    #expect(try document(nothing)["undo"] == .null)
  }

  @Test func aNameIsForWhatIsKept() throws {
    let folder = try CommandFolder(files: "src/a", "b")
    let run = try run(folder, ["--only", "src/", "--name", "exp"], "echo x > src/n; echo y > b")
    #expect(run.status == 125, "\(run.errors)")
    #expect(try folder.done("cat", "exp:b").output == "b")
    #expect(try folder.done("cat", "exp:src/n").output == "x\n")
  }

  /// With both options a failure takes back all of it, and what was outside is named all the same.
  @Test func aFailureTakesBackAll() throws {
    let folder = try CommandFolder(files: "src/a", "b")
    try folder.done("save", "one")
    let before = try FolderRecord(of: folder.path)
    let failed = try run(
      folder, ["--json", "--restore-on-failure", "--only", "src/**"], "echo x > src/n; echo y > b; exit 3")
    #expect(failed.status == 125)
    let told = try document(failed)
    #expect(told["restored"] == .bool(true) && told["undo"] == .null && told["now"] == told["before"]["id"])
    #expect(paths(told["taken_back"]) == ["modified b"])
    #expect(try FolderRecord(of: folder.path).differences(from: before) == [])
    try folder.done("redo")
    #expect(try folder.read("b") == "y\n")
  }

  @Test func onlyAThousandPathsAreNamed() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let run = try run(folder, ["--json", "--only", "a"], "for n in $(seq 1 1010); do echo > f$n; done; sleep 0.02")
    let told = try document(run)
    #expect(told["changes"].list.count == 1000 && told["changes_omitted"] == .number(10))
    #expect(told["taken_back"].list.count == 1000 && told["taken_back_omitted"] == .number(10))
    guard case .number(let duration) = told["duration_ms"] else { throw NotOneLine() }
    #expect(duration >= 20)
    #expect(try folder.directory.names().sorted() == [".memento", "a"])
  }

  @Test func aSaveNamesWhatChanged() throws {
    let folder = try CommandFolder(files: "a", "d/b")
    let first = try folder.document("save", "one")
    #expect(paths(first["changes"]) == ["added a", "added d/b"])
    #expect(first["undo"] == .text("memento delete one"))
    try folder.write("a", "x")
    let plan = try folder.document("save", "-n")
    #expect(paths(plan["changes"]) == ["modified a"] && plan["undo"] == .null)
    let second = try folder.document("save", "one")
    #expect(paths(second["changes"]) == ["modified a"] && second["changes_omitted"] == .number(0))
    #expect(second["undo"] == .text("memento restore \(first["snapshot"]["id"].text ?? "?")"))
    let unchanged = try folder.document("save")
    #expect(unchanged["changes"].list.isEmpty && unchanged["undo"] == .null)
    let named = try folder.document("save", "two", "--from", "one~1")
    #expect(named["undo"] == .text("memento delete two") && named["changes"] == .null)
    let moved = try folder.document("save", "two", "--from", "one")
    #expect(moved["undo"] == .text("memento save two --from \(first["snapshot"]["id"].text ?? "?")"))
  }

  @Test(arguments: ["save", "run"])
  func theDocumentHasADescriptorOfItsOwn(_ command: String) throws {
    let folder = try CommandFolder(files: "a")
    let file = try ScratchFile()
    let descriptor = fcntl(file.descriptor, F_DUPFD, 30)
    defer { close(descriptor) }
    let words = command == "save" ? ["save", "one"] : ["run", "--name", "one"]
    let after = command == "save" ? [] : script(folder, "test ! -e /dev/fd/\(descriptor) && echo x > a")
    let run = try CommandRun(
      bytes: (words + ["--json-fd", "\(descriptor)"] + after).map(\.bytes), in: folder.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix(command == "save" ? "saved one " : ""))
    #expect(try JSONValue(file.contents())["changes"].list.count == 1)
  }

  @Test func anErrorGoesThereToo() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let file = try ScratchFile()
    let descriptor = fcntl(file.descriptor, F_DUPFD, 30)
    defer { close(descriptor) }
    let failed = try folder.memento("save", "one", "--no-clobber", "--json-fd", "\(descriptor)")
    #expect(failed.status == 1 && failed.errors.hasPrefix("memento: "))
    #expect(try JSONValue(file.contents())["type"] == .text("error"))
    for wrong in [["save", "--json-fd", "4000"], ["save", "--json-fd", "0"], ["save", "--json", "--json-fd", "1"]] {
      #expect(try CommandRun(bytes: wrong.map(\.bytes), in: folder.path).status == 2)
    }
    #expect(try folder.memento("run", "--only", "", "--", "true").status == 125)
  }
}
