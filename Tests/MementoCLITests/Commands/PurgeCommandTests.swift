import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct PurgeCommandTests {
  private let folder: CommandFolder

  init() throws {
    folder = try CommandFolder(files: "a", "d/b")
    try folder.write("d/secret", String(repeating: "the secret ", count: 100))
    try folder.done("save", "one")
    try folder.write("c", "c")
    try folder.done("save", "two")
  }

  @Test func thePlanIsPrintedAndDone() throws {
    let before = try folder.storeRecord()
    let (one, two) = (try folder.id("one"), try folder.id("two"))
    let plan = try folder.done("purge", "-n", "d/secret").output
    #expect(plan.hasPrefix("d/secret: in 2 snapshots, 1 version, 1.1 KiB\nwould rewrite one \(one)\n"), "\(plan)")
    #expect(plan.contains("would rewrite two \(two)\nwould rewrite 2 snapshots\nwould free "))
    #expect(try folder.storeRecord().differences(from: before) == [])
    let done = try folder.done("purge", "--yes", "d/secret").output
    #expect(done.contains("rewrote one \(one) -> \(try folder.id("one"))\n"), "\(done)")
    #expect(done.contains("\nrewrote 2 snapshots\nfreed "))
    #expect(
      done.contains(
        "d/secret is still in the folder; the next save records it again, unless: "
          + "memento config --add ignore /d/secret\n"))
    #expect(done.hasSuffix("\(Advice.beyondPurge)\n"))
    #expect(try folder.memento("cat", "one:d/secret").status == 12)
    #expect(try folder.done("cat", "one:d/b").output == "d/b")
    #expect(try folder.done("status").output.contains("A d/secret\n"))
    try folder.done("verify", "--read-data")
  }

  @Test func itAsksFirst() throws {
    let silent = try folder.memento("purge", "d/secret")
    #expect(silent.status == 2 && silent.errors.contains("hint: say --yes where there is no terminal"))
    #expect(try folder.memento("purge", "d/secret", "--json").status == 2)
    for (answer, status) in [("n\n", 1), ("\n", 1), ("", 1), ("yes please\n", 1), ("y\n", 0)] as [(String, Int32)] {
      let run = try folder.memento("purge", "d/secret", input: answer) { context in
        context.isInputTerminal = true
        context.isErrorTerminal = true
      }
      #expect(run.status == status, "\(answer) \(run.errors)")
      #expect(run.output.contains("would rewrite one "))
      #expect(run.errors.contains("Do this? Nothing brings it back. [y/N] "))
      #expect(run.errors.contains("nothing was changed") == (status == 1))
      #expect(run.output.contains("rewrote one ") == (status == 0))
    }
  }

  @Test func pathsAreThoseOfTheFolder() throws {
    let run = try folder.memento("purge", "-y", "secret", "../c", below: "d")
    #expect(run.status == 0 && run.output.contains("d/secret: in 2 snapshots\nc: in 1 snapshot\n"), "\(run.output)")
    #expect(try folder.memento("purge", "-y", ".").status == 2)
    #expect(try folder.memento("purge", "-y", "/etc").status == 2)
  }

  @Test func whatIsNotThereIsAFailure() throws {
    let before = try folder.storeRecord()
    let mixed = try folder.memento("purge", "-y", "a", "none")
    #expect(mixed.status == 12 && mixed.errors.hasPrefix("memento: no snapshot has none; nothing was changed\nhint: "))
    #expect(try folder.storeRecord().differences(from: before) == [])
    let none = try folder.memento("purge", "-y", "none")
    #expect(none.status == 12 && none.errors == "memento: none: no snapshot has it\n")
    #expect(none.output.hasPrefix("nothing to free; "))
    #expect(try folder.done("purge", "-y").output.hasPrefix("nothing to free; "))
  }

  @Test func theDocument() throws {
    try folder.write("copy", String(repeating: "the secret ", count: 100))
    try folder.done("save", "three")
    let plan = try folder.document("purge", "-n", "d/secret")
    let done = try folder.document("purge", "-y", "d/secret")
    #expect(plan["dry_run"] == .bool(true) && done["dry_run"] == .bool(false))
    #expect(plan["states"] == done["states"] && plan["paths"] == done["paths"])
    #expect(done["paths"].list.map { $0["path"].text } == ["d/secret"])
    #expect(done["paths"].list[0]["snapshots"] == .number(3) && done["paths"].list[0]["in_folder"] == .bool(true))
    #expect(done["states"].list.map { $0["name"].text } == ["one", "three", "two"])
    #expect(try done["states"].list[0]["new_id"].text == folder.fullID("one"))
    #expect(done["shared"].list.map { $0["path"].text } == ["copy"] && done["shared_omitted"] == .number(0))
    #expect(done["remaining"] == .list([]) && done["snapshots_purged"] == .number(3))
    #expect(done["bytes"] == .number(1100) && done["versions"] == .number(1))
  }

  @Test func whatIsLeftIsStatus3() throws {
    try folder.write(".memento/rescue/something", "x")
    let run = try folder.memento("purge", "-y", "d/secret")
    #expect(run.status == 3)
    let advice = "look at it, and remove it if it is not needed"
    #expect(run.errors == "memento: rescue/something: a restore kept it, and it may come from there; \(advice)\n")
  }

  @Test func manyStatesAreCounted() throws {
    for number in 0..<30 { try folder.done("save", "s\(number)", "--from", "one") }
    let output = try folder.done("purge", "-n", "d").output
    #expect(output.contains("\nand 12 more states\n"), "\(output)")
    try folder.write("plain", "x")
    try folder.done("save", "later")
    #expect(try folder.done("purge", "-n", "c").output.contains("would rewrite 2 snapshots"))
  }

  @Test func patternsOfTheAdviceMatchThePathAlone() {
    #expect(Advice.keepOut("a b*[1]").hasSuffix("memento config --add ignore '/a b\\*\\[1]'"))
  }
}
