import TestSupport
import Testing

@testable import MementoCLI

@Suite struct RevertCommandTests {
  private func twoStates() throws -> CommandFolder {
    let folder = try CommandFolder(files: "sub/b")
    try folder.write("a", "1\n2\n3\n4\n5\n")
    try folder.done("save", "one")
    try folder.write("a", "1\nchanged\n3\n4\n5\n")
    try folder.write("sub/b", "changed")
    try folder.done("save", "two")
    return folder
  }

  @Test func laterWorkStays() throws {
    let folder = try twoStates()
    try folder.write("a", "1\nchanged\n3\n4\nlater\n")
    let run = try folder.done("revert", "one..two")
    #expect(run.output.hasPrefix("merged a\nreverted one..two: 2 replaced; "))
    #expect(run.output.contains("to go back: memento undo\n"))
    #expect(try folder.read("a") == "1\n2\n3\n4\nlater\n" && folder.read("sub/b") == "sub/b")
    try folder.done("undo")
    #expect(try folder.read("a") == "1\nchanged\n3\n4\nlater\n" && folder.read("sub/b") == "changed")
  }

  @Test func aConflictIsNamedAndEndsWithOne() throws {
    let folder = try twoStates()
    try folder.write("a", "1\nagain\n3\n4\n5\n")
    let plan = try folder.memento("revert", "-n", "one..two")
    #expect(plan.status == 1 && plan.output.contains("would revert one..two: 2 replaced; "))
    #expect(try folder.read("a") == "1\nagain\n3\n4\n5\n")
    let run = try folder.memento("revert", "one..two")
    #expect(run.status == 1)
    #expect(run.errors.contains("memento: a: 1 conflict, between <<<<<<< and >>>>>>>: "))
    #expect(try folder.read("a").contains("<<<<<<< present\nagain\n||||||| two\nchanged\n=======\n2\n>>>>>>> one\n"))
    #expect(try folder.read("sub/b") == "sub/b")
  }

  @Test func theDocumentSaysAllOfIt() throws {
    let folder = try twoStates()
    try folder.write("a", "1\nagain\n3\n4\n5\n")
    let run = try folder.memento("revert", "one..", "--json")
    #expect(run.status == 1)
    try folder.done("undo")
    let marked = try JSONValue(folder.memento("revert", "one..two", "--json").outputBytes)
    #expect(marked["from"]["name"].text == "one" && marked["to"]["name"].text == "two")
    #expect(marked["conflicts"].list.map { $0["kind"].text } == ["lines"])
    #expect(marked["conflicts"].list.map { $0["path"].text } == ["a"])
    #expect(marked["merged"].list.isEmpty && marked["restore"]["dry_run"] == .bool(false))
  }

  @Test func onlyPathsFromWhereTheCommandStarts() throws {
    let folder = try twoStates()
    #expect(try folder.memento("revert", "one..two", "b", below: "sub").status == 0)
    #expect(try folder.read("sub/b") == "sub/b" && folder.read("a").contains("changed"))
    #expect(try folder.memento("revert", "one..two", "nowhere").status == 12)
  }

  @Test func namesMayHaveDots() throws {
    let folder = try twoStates()
    try folder.done("save", "v1..2", "--from", "one")
    try folder.done("revert", "v1..2..two")
    #expect(try folder.read("sub/b") == "sub/b")
    #expect(try folder.memento("revert", "two").status == 2)
    #expect(try folder.memento("revert", "none..two").status == 12)
  }
}
