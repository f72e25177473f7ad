import TestSupport
import Testing

@testable import MementoCLI

/// `--dry-run` says what would happen, and changes nothing: no byte, no time, no inode.
@Suite struct DryRunTests {
  private func busyFolder() throws -> CommandFolder {
    let folder = try CommandFolder(files: "a", "sub/b")
    try folder.done("save", "one")
    try folder.done("save", "v", "--stdin", input: "value")
    try folder.done("save", "old", "--stdin", input: "another value")
    try folder.done("delete", "old")
    try folder.write("a", "changed")
    try folder.write("c", "c")
    folder.remove("sub/b")
    return folder
  }

  @Test(
    arguments: [
      (["save", "-n"], "would save (unnamed): 1 added, 1 modified, 1 removed; "),
      (["save", "two", "--dry-run"], "would save two: 1 added, 1 modified, 1 removed; "),
      (["save", "one", "-n", "--rehash"], "would save one (was "),
      (["save", "two", "-n", "--from", "one"], "would name two "),
      (["save", "two", "-n", "--stdin"], "would save two: a value of 5 B"),
      (["save", "two", "-n", "--stdin-from", "--", "echo", "x"], "would save two: a value of 2 B"),
      (["restore", "one", "-n"], "replace a\nremove c\nmetadata sub/\ncreate sub/b\nwould restore one "),
      (["restore", "one", "-n", "a"], "replace a\nwould restore one "),
      (["restore", "one", "-n", "--discard"], "replace a\n"),
      (["restore", "one", "-n", "--keep-extra"], "replace a\nmetadata sub/\ncreate sub/b\n"),
      (["restore", "one", "-n", "--to", "new"], "create a\ncreate sub/\ncreate sub/b\nwould restore one "),
      (["delete", "one", "-n"], "would delete one (is "),
      (["delete", "--pattern", "*", "-n"], "would delete one (is "),
      (["gc", "-n", "--now"], "would free "),
    ])
  func nothingChanges(_ arguments: [String], _ expected: String) throws {
    let folder = try busyFolder()
    let store = try folder.storeRecord()
    let before = try FolderRecord(of: folder.path)
    let run = try CommandRun(bytes: arguments.map(\.bytes), in: folder.path, input: "12345".bytes)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix(expected), "\(run.output)")
    #expect(run.errors.isEmpty)
    #expect(try folder.storeRecord().differences(from: store) == [])
    #expect(try FolderRecord(of: folder.path).differences(from: before) == [])
  }

  @Test(arguments: [
    ["save", "two"], ["save", "two", "--from", "one"], ["restore", "one"], ["delete", "one"], ["gc"],
  ])
  func theDocumentSaysSo(_ arguments: [String]) throws {
    let folder = try busyFolder()
    let store = try folder.storeRecord()
    let run = try CommandRun(bytes: (arguments + ["-n", "--json"]).map(\.bytes), in: folder.path)
    #expect(run.status == 0)
    #expect(try JSONValue(run.outputBytes)["dry_run"] == .bool(true))
    #expect(try folder.storeRecord().differences(from: store) == [])
  }

  @Test func aPlanIsInTheDocument() throws {
    let folder = try busyFolder()
    let plan = try folder.document("restore", "one", "-n")["plan"].list
    #expect(plan.map { $0["action"].text } == ["replace", "remove", "metadata", "create"])
    #expect(plan.map { $0["path"].text } == ["a", "c", "sub/", "sub/b"])
  }

  @Test func noStoreIsMade() throws {
    let folder = try CommandFolder(files: "a")
    let before = try folder.directory.names()
    let run = try folder.memento("save", "-n", "one")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("would save one: 1 added; "), "\(run.output)")
    #expect(run.errors == "memento: would make the store \(folder.path)/.memento\n")
    let document = try folder.document("save", "one", "-n", "--exclude", "a")
    #expect(document["added"] == .number(0) && document["store_created"] == .bool(true))
    #expect(try folder.memento("save", "-n", "v", "--stdin", input: "value").output.contains("a value of 5 B"))
    #expect(try folder.memento("save", "-n", "one", environment: ["HOME": folder.path]).status == 1)
    #expect(try folder.memento("save", "-n", "one", "--from", "x").status == 10)
    #expect(try folder.directory.names() == before)
  }

  @Test func failuresAreFoundToo() throws {
    let folder = try busyFolder()
    #expect(try folder.memento("save", "-n", "a:b").status == 2)
    #expect(try folder.memento("save", "-n", "one", "--no-clobber").status == 1)
    #expect(try folder.memento("restore", "-n", "nothing").status == 12)
    #expect(try folder.memento("delete", "-n", "nothing").status == 12)
    #expect(try folder.memento("save", "x", "-n", "--stdin-from", "--", "false").status == 1)
  }

  /// What only looks writes nothing either, not even a cache.
  @Test(arguments: [
    ["list"], ["list", "-z"], ["log"], ["verify"], ["stats"], ["config"], ["restore", "v", "--stdout"],
  ])
  func lookingChangesNothing(_ arguments: [String]) throws {
    let folder = try busyFolder()
    let store = try folder.storeRecord()
    #expect(try CommandRun(bytes: arguments.map(\.bytes), in: folder.path).status == 0)
    #expect(try folder.storeRecord().differences(from: store) == [])
  }

  /// It remembers when everything was read, and writes nothing else.
  @Test func readingEverythingIsRemembered() throws {
    let folder = try busyFolder()
    let store = try folder.storeRecord()
    #expect(try folder.memento("verify", "--read-data").status == 0)
    let changed = try folder.storeRecord().differences(from: store)
    #expect(changed.contains("cache/verified: is new"), "\(changed)")
    #expect(changed.allSatisfy { $0.hasPrefix("cache") || $0.hasPrefix("tmp: other metadata") }, "\(changed)")
  }
}
