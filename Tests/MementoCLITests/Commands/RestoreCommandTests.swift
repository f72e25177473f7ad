import TestSupport
import Testing

@testable import MementoCLI

@Suite struct RestoreCommandTests {
  /// Two states of a folder: in the first `a`, `b` and `sub/c`, in the second another `a`, no `b`, and `d`.
  private func twoStates() throws -> CommandFolder {
    let folder = try CommandFolder(files: "a", "b", "sub/c")
    try folder.done("save", "one")
    try folder.write("a", "changed")
    folder.remove("b")
    try folder.write("d", "d")
    try folder.done("save", "two")
    return folder
  }

  @Test func theFolderIsWhatItWas() throws {
    let folder = try CommandFolder(files: "a", "b", "sub/c")
    try folder.done("save", "one")
    let before = try FolderRecord(of: folder.path)
    try folder.write("a", "changed")
    folder.remove("b")
    try folder.write("d", "d")
    try folder.done("save", "two")
    let run = try folder.done("restore", "one")
    #expect(
      run.output == "restored one \(try folder.id("one")): 1 created, 1 replaced, 1 removed; 2 B written\n")
    #expect(run.errors.isEmpty)
    #expect(try FolderRecord(of: folder.path).differences(from: before) == [])
    #expect(try folder.done("restore", "one").output == "restored one \(try folder.id("one")): nothing to change\n")
  }

  @Test func whatNoSnapshotHasIsSavedFirst() throws {
    let folder = try twoStates()
    try folder.write("d", "precious")
    let present = try FolderRecord(of: folder.path)
    let document = try folder.document("restore", "one")
    let guardID = try #require(document["guard"].text)
    #expect(Contract.isID(document["guard"]))
    try folder.done("restore", String(guardID.prefix(12)))
    #expect(try FolderRecord(of: folder.path).differences(from: present) == [])

    try folder.write("d", "again")
    let run = try folder.done("restore", "one")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[1].hasPrefix("what was there is saved as "))
    let id = try #require(lines[1].split(separator: " ").last)
    #expect(lines[1].hasSuffix("to go back: memento restore \(id)"))
    try folder.done("restore", String(id))
    #expect(try folder.read("d") == "again")
  }

  @Test func discardSavesNothing() throws {
    let folder = try twoStates()
    try folder.write("d", "precious")
    let steps = try folder.document("log")["entries"].list.count
    let document = try folder.document("restore", "one", "--discard")
    #expect(document["guard"] == .null)
    #expect(try folder.document("log")["entries"].list.count == steps + 1)
    #expect(!folder.directory.exists("d"))
  }

  @Test func keepExtraLeavesFiles() throws {
    let folder = try twoStates()
    let run = try folder.done("restore", "one", "--keep-extra")
    #expect(run.output.contains(": 1 created, 1 replaced; "))
    #expect(try folder.read("d") == "d")
    #expect(try folder.read("a") == "a")
  }

  @Test func onlyThePathsNamed() throws {
    let folder = try twoStates()
    #expect(try folder.done("restore", "one", "a").output.contains(": 1 replaced; "))
    #expect(try folder.read("a") == "a")
    #expect(!folder.directory.exists("b"))
    #expect(folder.directory.exists("d"))
    #expect(try folder.done("restore", "one", "b", "d").output.contains(": 1 created, 1 removed; "))
  }

  @Test func pathsAreRelativeToWhereTheyAreTyped() throws {
    let folder = try CommandFolder(files: "a", "sub/a", "sub/deep/b")
    try folder.done("save", "one")
    for name in ["a", "sub/a", "sub/deep/b"] { try folder.write(name, "changed") }
    #expect(try folder.memento("restore", "one", "a", below: "sub").status == 0)
    #expect(try folder.read("a") == "changed")
    #expect(try folder.read("sub/a") == "sub/a")
    #expect(try folder.memento("restore", "one", "../a", "./deep/../deep/b", below: "sub").status == 0)
    #expect(try folder.read("a") == "a")
    #expect(try folder.read("sub/deep/b") == "sub/deep/b")
    try folder.write("sub/a", "changed")
    #expect(try folder.memento("restore", "one", "\(folder.path)/sub/a", below: "sub/deep").status == 0)
    #expect(try folder.read("sub/a") == "sub/a")
    let outside = try folder.memento("restore", "one", "../../elsewhere", below: "sub")
    #expect(outside.status == 2)
    #expect(outside.errors.contains("memento: ../../elsewhere is not in the folder \(folder.path)\n"))
    #expect(try folder.memento("restore", "one", "-C", "sub", "nothing").status == 12)
    #expect(try folder.memento("restore", "one", "").status == 2)
  }

  @Test func intoAnotherFolder() throws {
    let folder = try twoStates()
    let elsewhere = try TemporaryDirectory()
    let present = try FolderRecord(of: folder.path)
    let run = try folder.memento("restore", "one", "--to", "\(elsewhere.path)/new folder")
    #expect(run.status == 0)
    #expect(
      run.output
        == "restored one \(try folder.id("one")) into \(elsewhere.path)/new folder: 3 created, 1 folder created; 7 B written\n"
    )
    #expect(try elsewhere.names("new folder") == ["a", "b", "sub"])
    #expect(try FolderRecord(of: folder.path).differences(from: present) == [])
    let again = try folder.memento("restore", "one", "--to", "\(elsewhere.path)/new folder")
    #expect(again.status == 1)
    #expect(
      again.errors
        == "memento: \(elsewhere.path)/new folder is not empty\nhint: name a new or empty folder\n")
    #expect(try folder.memento("restore", "one", "sub/c", "--to", "part").status == 0)
    #expect(try folder.directory.names("part") == ["sub"])
    #expect(try folder.memento("restore", "one", "--to", "a").status == 1)
    #expect(try folder.memento("restore", "one", "--to", "no/such/place").status == 1)
  }

  @Test func oneFileToStandardOutput() throws {
    let folder = try twoStates()
    #expect(try folder.done("restore", "one", "a", "--stdout").output == "a")
    #expect(try folder.memento("restore", "one", "c", "--stdout", below: "sub").output == "sub/c")
    #expect(try folder.read("a") == "changed")
    for (arguments, status, message) in [
      (["one"], 1, "\"one\" is a folder"), (["one", "sub"], 1, "sub is not a regular file in \"one\""),
      (["one", "zz"], 12, "\"one\" has no zz"),
    ] as [([String], Int32, String)] {
      let run = try CommandRun(bytes: (["restore", "--stdout"] + arguments).map(\.bytes), in: folder.path)
      #expect(run.status == status)
      #expect(run.output.isEmpty)
      #expect(run.errors.hasPrefix("memento: \(message)\n"))
    }
  }

  @Test func snapshotsHaveManyNames() throws {
    let folder = try CommandFolder(files: "a")
    for content in ["1", "2", "3"] {
      try folder.write("a", content)
      try folder.done("save", "s")
    }
    let id = try folder.fullID("s")
    for (revision, content) in [
      ("@", "3"), ("@~", "2"), ("@~1", "2"), ("@~2", "1"), ("s", "3"), ("s~1", "2"), ("s~2", "1"), (id, "3"),
      (String(id.prefix(10)), "3"), (id.uppercased(), "3"),
    ] {
      #expect(try folder.done("restore", revision, "a", "--stdout").output == content, "\(revision)")
    }
    for revision in ["@~3", "s~3", "s~x", "~", "zz", "@~-1", "0000000"] {
      let run = try folder.memento("restore", revision, "a", "--stdout")
      #expect(run.status == 12, "\(revision)")
      #expect(run.errors.hasPrefix("memento: "))
    }
  }

  @Test func theDocumentKeepsItsContract() throws {
    let folder = try twoStates()
    let document = try folder.document("restore", "one")
    #expect(document.breaches(of: Contract.restore) == [])
    #expect(document["snapshot"].breaches(of: Contract.snapshot) == [])
    #expect(document["schema"] == .number(1))
    #expect(document["guard"] == .null)
    #expect(document["created"] == .number(1))
    #expect(document["replaced"] == .number(1))
    #expect(document["removed"] == .number(1))
    #expect(document["bytes_written"] == .number(2))
    #expect(document["snapshot"]["name"] == .text("one"))
    let elsewhere = try folder.document("restore", "two", "--to", "new")
    #expect(elsewhere.breaches(of: Contract.restore) == [])
  }

  @Test func aRepositoryThatIsTakenBackIsNamedAndCanBeKept() throws {
    let folder = try CommandFolder(files: "a")
    let (first, second) = (String(repeating: "a1", count: 20), String(repeating: "b2", count: 20))
    try folder.write(".git/HEAD", "ref: refs/heads/main\n")
    try folder.write(".git/refs/heads/main", first)
    try folder.done("save", "one")
    try folder.write(".git/refs/heads/main", second)
    try folder.write("a", "changed")
    let note = "HEAD moves from b2b2b2b to a1a1a1a (main)"
    for arguments in [["restore", "one", "-n"], ["restore", "one"]] {
      let run = try CommandRun(bytes: arguments.map(\.bytes), in: folder.path, input: [])
      #expect(run.errors == "memento: note: .git: \(note)\n" && run.status == 0)
    }
    try folder.done("undo")
    let document = try folder.document("restore", "one", "-n")
    #expect(document["problems"].list.map { $0["message"] } == [.text(note)])
    #expect(document["folders"]["created"] == .number(0))
    let kept = try folder.done("restore", "one", "--keep", ".git/")
    #expect(kept.errors.isEmpty && kept.output.contains(": 1 replaced; "))
    #expect(try folder.read(".git/refs/heads/main") == second)
    try folder.done("undo", "--keep", ".git/")
    #expect(try folder.read("a") == "changed")
    for mode in ["--stdout", "--continue"] {
      #expect(try folder.memento("restore", "one", mode, "--keep", "x").status == 2)
    }
  }

  @Test func continueAndAbortNeedAnInterruptedRestore() throws {
    let folder = try twoStates()
    for option in ["--continue", "--abort"] {
      let run = try folder.memento("restore", option)
      #expect(run.status == 1)
      #expect(run.errors.hasPrefix("memento: no restore was interrupted"))
    }
    let empty = try CommandFolder()
    #expect(try empty.memento("restore", "--continue").status == 10)
  }
}
