import TestSupport
import Testing

@testable import MementoCLI

@Suite struct RunCommandTests {
  @Test func whatTheCommandChangedIsALine() throws {
    let folder = try CommandFolder(files: "a", "gone")
    try folder.done("save", "one")
    let run = try folder.memento("run", "--", "sh", "-c", script(folder, "echo b > b; echo x >> a; rm gone; echo out"))
    #expect(run.status == 0)
    #expect(run.output == "out\n")
    let id = try position(folder)
    #expect(run.errors == "memento: sh: 1 added, 1 modified, 1 removed; saved as \(id)\n")
    #expect(try folder.document("log")["entries"].list.count == 2)
    try folder.done("undo")
    #expect(try folder.read("gone") == "gone")
    #expect(!folder.directory.exists("b"))
  }

  /// In process the folder cannot be entered: the script does it.
  private func script(_ folder: CommandFolder, _ text: String) -> String { "cd '\(folder.path)'; \(text)" }

  private func position(_ folder: CommandFolder) throws -> String {
    String(try folder.document("status")["at"]["id"].text?.prefix(12) ?? "")
  }

  @Test func whatIsNotSavedIsSavedBefore() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.write("a", "precious")
    let run = try folder.memento("run", "--", "sh", "-c", script(folder, "echo ruined > a"))
    #expect(run.errors.hasPrefix("memento: sh: 1 modified; saved as "))
    #expect(try folder.document("log")["entries"].list.count == 3)
    try folder.done("undo")
    #expect(try folder.read("a") == "precious")
  }

  @Test func theFirstRunMakesTheStore() throws {
    let folder = try CommandFolder(files: "a")
    let run = try folder.memento("run", "--json", "--", "true")
    #expect(run.status == 0)
    #expect(run.output.isEmpty)
    let document = try JSONValue(Array(run.errorBytes.drop { $0 == 0x0A }))
    #expect(document["store_created"] == .bool(true))
    #expect(document["before"]["id"] == document["after"]["id"])
  }

  @Test func aCommandThatChangesNothingAddsNoStep() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let refs = try folder.read(".memento/refs")
    for _ in 0..<2 {
      let run = try folder.memento("run", "--", "true")
      #expect(run.errors == "memento: true: no changes\n")
    }
    #expect(try folder.read(".memento/refs") == refs)
    let made = try folder.memento("run", "--", "sh", "-c", script(folder, "mkdir d"))
    #expect(made.errors.hasPrefix("memento: sh: no file changed; saved as "))
  }

  @Test(arguments: [("exit 3", 3, "it exited with status 3"), ("kill -9 $$", 137, "it was ended by signal 9")])
  func theStatusIsPassedOn(_ end: String, _ status: Int32, _ words: String) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let run = try folder.memento("run", "--", "sh", "-c", script(folder, "echo b > b; \(end)"))
    #expect(run.status == status)
    #expect(run.errors == "memento: sh: \(words); 1 added; saved as \(try position(folder))\n")
    #expect(folder.directory.exists("b"))
  }

  @Test(arguments: ["exit 1", "kill -TERM $$"])
  func aFailureIsTakenBack(_ end: String) throws {
    let folder = try CommandFolder(files: "a", "gone")
    try folder.done("save", "one")
    try folder.write("a", "unsaved")
    let before = try FolderRecord(of: folder.path)
    let run = try folder.memento(
      "run", "--restore-on-failure", "--", "sh", "-c", script(folder, "echo b > b; rm gone a; mkdir a; \(end)"))
    #expect(run.status == (end == "exit 1" ? 1 : 143))
    #expect(run.errors.contains("taken back; what was there is saved as "), "\(run.errors)")
    #expect(try FolderRecord(of: folder.path).differences(from: before) == [])
    #expect(try folder.done("status").output.contains("nothing changed"))
    // What failed is a step ahead.
    try folder.done("redo")
    #expect(folder.directory.exists("b") && !folder.directory.exists("gone"))
    try folder.done("undo")
    #expect(try FolderRecord(of: folder.path).differences(from: before) == [])
    try folder.done("undo")
    #expect(try folder.read("a") == "a")
  }

  @Test func aSuccessIsNotTakenBack() throws {
    let folder = try CommandFolder(files: "a")
    let run = try folder.memento("run", "--restore-on-failure", "--", "sh", "-c", script(folder, "rm a"))
    #expect(run.status == 0)
    #expect(!folder.directory.exists("a"))
  }

  /// The command itself goes back and forth, and saves.
  @Test func aFailureIsTakenBackWhateverTheTimelineIs() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.write("a", "two")
    try folder.done("save", "two")
    let before = try FolderRecord(of: folder.path)
    let program = Machine.program
    guard Machine.hasProgram else { return }
    for commands in [
      "\(program) undo -q; echo c > c; exit 1", "echo c > c; \(program) save three -q; echo d > d; exit 1",
      "\(program) restore one -q; exit 1", "\(program) undo -q; echo c > c; \(program) save x -q; exit 1",
    ] {
      let run = try folder.memento("run", "--restore-on-failure", "--", "sh", "-c", script(folder, commands))
      #expect(run.status == 1)
      #expect(run.errors.contains("taken back"), "\(commands): \(run.errors)")
      #expect(try FolderRecord(of: folder.path).differences(from: before) == [], "\(commands)")
    }
  }

  @Test func aNameIsOnBothSides() throws {
    let folder = try CommandFolder(files: "a")
    let run = try folder.memento("run", "--name", "exp", "--", "sh", "-c", script(folder, "echo b > b"))
    #expect(run.errors.contains("; saved as exp "))
    try folder.done("restore", "exp", "--to", "after")
    try folder.done("restore", "exp~1", "--to", "before")
    #expect(folder.directory.exists("after/b") && !folder.directory.exists("before/b"))
    // What is taken back is not what the name is for.
    let id = try folder.fullID("exp")
    _ = try folder.memento(
      "run", "--name", "exp", "--restore-on-failure", "--", "sh", "-c", script(folder, "rm b; exit 1"))
    #expect(try folder.document("log", "exp")["entries"].list.count >= 2)
    #expect(try folder.memento("restore", "exp", "-n").output.contains("nothing to change"))
    #expect(try folder.fullID("exp") != id)
    #expect(folder.directory.exists("b"))
    let bad = try folder.memento("run", "--name", "-x", "--", "sh", "-c", script(folder, "touch ran"))
    #expect(bad.status == 125 && !folder.directory.exists("ran"))
  }

  @Test(arguments: [
    (["no-such-command\u{1B}"], 127, "cannot run no-such-command\\x1b: No such file or directory"),
    (["/"], 126, "cannot run /: Permission denied"), (["/dev/null"], 126, "cannot run /dev/null: Permission denied"),
  ])
  func whatCannotBeRun(_ words: [String], _ status: Int32, _ message: String) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.write("a", "unsaved")
    let run = try CommandRun(bytes: (["run", "--"] + words).map(\.bytes), in: folder.path)
    #expect(run.status == status)
    #expect(run.errors == "memento: \(message)\n")
    #expect(try folder.document("log")["entries"].list.count == 2)
    let json = try CommandRun(bytes: (["run", "--json", "--"] + words).map(\.bytes), in: folder.path)
    #expect(try JSONValue(json.errorBytes)["code"] == .number(Int(status)))
  }

  @Test(arguments: [
    ["run"], ["run", "--"], ["run", "true"], ["run", "--", ""], ["run", "-n", "--", "true"],
    ["run", "--name", "--", "x"],
  ])
  func wrongUsage(_ arguments: [String]) throws {
    let folder = try CommandFolder(files: "a")
    let run = try CommandRun(bytes: arguments.map(\.bytes), in: folder.path)
    #expect(run.status == 125, "\(run.errors)")
    #expect(try folder.directory.names() == ["a"])
  }

  @Test func theDocument() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let run = try folder.memento(
      "run", "--json", "--restore-on-failure", "--", "sh", "-c",
      script(folder, "echo b > b; echo to-err >&2; kill -9 $$"))
    #expect(run.output.isEmpty)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.first == "to-err")
    let document = try JSONValue((try #require(lines.last) + "\n").bytes)
    #expect(document["type"] == .text("run"))
    #expect(document["schema"] == .number(1))
    #expect(document["status"] == .number(137))
    #expect(document["signal"] == .number(9))
    #expect(document["added"] == .number(1))
    #expect(document["restored"] == .bool(true))
    #expect(document["before"].breaches(of: Contract.snapshot) == [])
    #expect(document["after"].breaches(of: Contract.snapshot) == [])
    #expect(document["after"]["parent"] == document["before"]["id"])
    let done = try folder.memento("run", "--json", "--", "true")
    #expect(try JSONValue(Array(done.errorBytes.drop { $0 == 0x0A }))["signal"] == .null)
  }

  /// What comes from the command does not run into the document.
  @Test func theDocumentBeginsOnALineOfItsOwn() throws {
    let folder = try CommandFolder(files: "a")
    for (end, key) in [("", "type"), ("echo bad > .memento/refs", "code")] {
      let run = try folder.memento("run", "--json", "--", "sh", "-c", script(folder, "printf unfinished >&2; \(end)"))
      let lines = run.errors.split(separator: "\n")
      #expect(lines.first == "unfinished" && lines.count == 2, "\(run.errors)")
      #expect(try JSONValue((try #require(lines.last) + "\n").bytes)[key] != .null)
    }
  }

  /// Where standard error is a file, there is no empty line before the document; where it cannot be known, there may be.
  @Test(arguments: ["printf 'one\\n' >&2", "true", "printf 'one' >&2"])
  func noEmptyLineStandsBeforeTheDocument(_ script: String) throws {
    let folder = try CommandFolder(files: "a")
    let run = try folder.memento("run", "--json", "--", "sh", "-c", script)
    let lines = run.errors.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == (script == "true" ? 2 : 3) && lines.last == "", "\(run.errors)")
    #expect(!lines.dropLast().contains(""), "\(run.errors)")
    #expect(try JSONValue((lines[lines.count - 2] + "\n").bytes)["type"] == .text("run"))
  }

  /// A command may itself end with 10 to 14.
  @Test func itsOwnFailuresHaveAStatusOfTheirOwn() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    #expect(try folder.memento("-C", "missing", "run", "--", "true").status == 125)
    #expect(try folder.memento("run", "--store", "a", "--", "true").status == 125)
    for status in [10, 11, 13, 14] {
      #expect(try folder.memento("run", "--", "sh", "-c", "exit \(status)").status == status)
    }
    try folder.write(".memento/refs", "damaged")
    let run = try folder.memento("run", "--", "sh", "-c", script(folder, "touch ran"))
    #expect(run.status == 125 && !folder.directory.exists("ran"), "\(run.errors)")
    #expect(try folder.memento("list").status == 13)
  }

  @Test func quietSaysNothing() throws {
    let folder = try CommandFolder(files: "a")
    let run = try folder.memento("run", "-q", "--", "sh", "-c", script(folder, "echo b > b; exit 4"))
    #expect(run.status == 4)
    #expect(run.output.isEmpty && run.errors.isEmpty)
  }

  @Test func aScriptThatDoesNotSayWhatRunsItIsRun() throws {
    let folder = try CommandFolder()
    try folder.write("script", "echo \"$0 $1\"\n")
    folder.makeExecutable("script")
    let run = try folder.memento("run", "-q", "--", "\(folder.path)/script", "word")
    #expect(run.output == "\(folder.path)/script word\n")
    #expect(run.status == 0)
  }

  /// The command is what its caller asks about; that the second save failed is said as well.
  @Test func theSecondSaveFails() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    for (end, status) in [("exit 5", 5), ("exit 0", 125)] as [(String, Int32)] {
      let refs = try folder.read(".memento/refs")
      let run = try folder.memento(
        "run", "--", "sh", "-c", script(folder, "echo b > b; echo bad > .memento/refs; \(end)"))
      #expect(run.status == status)
      #expect(run.errors.hasPrefix("memento: the store is damaged: refs"), "\(run.errors)")
      try folder.write(".memento/refs", refs)
    }
  }
}
