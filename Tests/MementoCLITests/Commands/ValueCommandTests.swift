import TestSupport
import Testing

@testable import MementoCLI

@Suite struct ValueCommandTests {
  @Test func standardInputIsAValue() throws {
    let folder = try CommandFolder(files: "a")
    let run = try folder.memento("save", "v", "--stdin", "-m", "why", input: "one\ntwo\u{0}")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("saved v \(try folder.id("v")): a value of 8 B; "))
    #expect(try folder.done("restore", "v", "--stdout").outputBytes == "one\ntwo\u{0}".bytes)
    let snapshot = try folder.document("list")["states"].list[0]["snapshot"]
    #expect(snapshot.breaches(of: Contract.snapshot) == [])
    #expect(snapshot["kind"] == .text("value"))
    #expect(snapshot["bytes"] == .number(8))
    #expect(snapshot["message"] == .text("why"))
    #expect(try folder.document("log")["entries"] == .list([]))
  }

  @Test func valuesHaveAHistory() throws {
    let folder = try CommandFolder()
    for value in ["1", "22", ""] { try folder.done("save", "v", "--stdin", input: value) }
    #expect(try folder.done("restore", "v", "--stdout").output == "")
    #expect(try folder.done("restore", "v~1", "--stdout").output == "22")
    #expect(try folder.done("restore", "v~2", "--stdout").output == "1")
    #expect(try folder.document("log", "v")["entries"].list.map { $0["snapshot"]["bytes"].number } == [0, 2, 1])
  }

  @Test func aLargeValueComesBack() throws {
    let folder = try CommandFolder()
    let bytes = Content.random(700_000, seed: 4) + Content.zeros(300_000)
    let run = try CommandRun(bytes: ["save", "v", "--stdin"].map(\.bytes), in: folder.path, input: bytes)
    #expect(run.status == 0)
    #expect(try folder.done("restore", "v", "--stdout").outputBytes == bytes)
  }

  @Test func theOutputOfACommandIsAValue() throws {
    let folder = try CommandFolder()
    try folder.done("save", "v", "--stdin-from", "--", "printf", "%s|", "a b", "-n")
    #expect(try folder.done("restore", "v", "--stdout").output == "a b|-n|")
    try folder.done("save", "--stdin-from", "w", "--", "cat", input: "in")
    #expect(try folder.done("restore", "w", "--stdout").output == "in")
  }

  @Test(arguments: [
    (["sh", "-c", "echo x; exit 3"], "nothing is recorded of sh: it exited with status 3"),
    (["sh", "-c", "kill -9 $$"], "nothing is recorded of sh: it was ended by signal 9"),
    (["no-such-command\u{1B}"], "cannot run no-such-command\\x1b: No such file or directory"),
  ])
  func aFailingCommandRecordsNothing(_ words: [String], _ message: String) throws {
    let folder = try CommandFolder()
    try folder.done("save", "v", "--stdin", input: "old")
    let before = try folder.storeRecord().entries["refs"]
    let run = try CommandRun(bytes: (["save", "v", "--stdin-from", "--"] + words).map(\.bytes), in: folder.path)
    #expect(run.status == 1)
    #expect(run.errors == "memento: \(message)\n")
    #expect(run.output.isEmpty)
    #expect(try folder.storeRecord().entries["refs"] == before)
    #expect(try folder.done("restore", "v", "--stdout").output == "old")
    #expect(try folder.directory.names(".memento/tmp") == [])
    let json = try CommandRun(
      bytes: (["save", "v", "--json", "--stdin-from", "--"] + words).map(\.bytes), in: folder.path)
    #expect(try JSONValue(json.errorBytes).breaches(of: Contract.error) == [])
  }

  @Test func aValueIsNoFolder() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "v", "--stdin", input: "x")
    for arguments in [["v"], ["v", "--to", "new"], ["v", "-n"]] {
      let run = try CommandRun(bytes: (["restore"] + arguments).map(\.bytes), in: folder.path)
      #expect(run.status == 1)
      #expect(
        run.errors
          == "memento: \"v\" is a single value, not a folder\nhint: write it with `memento restore v --stdout`\n")
    }
    let run = try folder.memento("restore", "v", "a", "--stdout")
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("memento: \"v\" is a single value and has no a\n"))
    #expect(!folder.directory.exists("new"))
  }

  @Test func theDocumentOfAValue() throws {
    let folder = try CommandFolder()
    let document = try folder.document("save", "v", "--stdin", input: "12345")
    #expect(document.breaches(of: Contract.save) == [])
    #expect(document["snapshot"].breaches(of: Contract.snapshot) == [])
    #expect(document["snapshot"]["bytes"] == .number(5))
    let named = try folder.document("save", "w", "--from", "v")
    #expect(named.breaches(of: Contract.save) == [])
    #expect(named["snapshot"]["id"] == document["snapshot"]["id"])
  }
}
