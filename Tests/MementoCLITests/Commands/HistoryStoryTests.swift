import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

/// What the steps of `log` say that they did, and notes.
@Suite struct HistoryStoryTests {
  /// Without what depends on the clock.
  private func stories(_ folder: CommandFolder) throws -> [String] {
    let run = try folder.memento("log")
    return run.output.split(separator: "\n").filter { $0.hasPrefix("    ") }.map {
      String($0.dropFirst(4).replacing(/[0-9]\.[0-9]s/, with: "0.0s"))
    }
  }

  @Test func aRunSaysWhatRanAndUndoThatItIsTakenBack() throws {
    let folder = try CommandFolder(files: "a", "b")
    try folder.done("save", "one")
    let failed = try folder.memento("run", "--", "sh", "-c", "cd '\(folder.path)'; rm a; exit 3")
    #expect(failed.status == 3)
    let entry = try folder.document("log")["entries"].list[0]
    #expect(entry["command"]["status"] == .number(3))
    #expect(entry["command"]["words"].list.first?.text == "sh")
    #expect(entry["taken_back"] == .bool(false))
    #expect(entry["restored"] == .null)
    let story = "run: sh -c "
    let line = try #require(try stories(folder).first)
    #expect(line.hasPrefix(story) && line.hasSuffix("(exit 3, 0.0s)"))
    try folder.done("undo")
    #expect(try stories(folder).first?.hasSuffix("(exit 3, 0.0s), taken back") == true)
    #expect(try folder.document("log")["entries"].list[0]["taken_back"] == .bool(true))
    #expect(try folder.memento("log", "--oneline").output.contains(" run: sh -c "))
    try folder.done("redo")
    #expect(try stories(folder).first?.hasSuffix("(exit 3, 0.0s)") == true)
  }

  @Test func aFailedRunThatIsTakenBackSaysSo() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let run = try folder.memento(
      "run", "--restore-on-failure", "--", "sh", "-c", "echo x > '\(folder.path)/a'; exit 1")
    #expect(run.status == 1)
    #expect(try stories(folder).first?.hasSuffix("(exit 1, 0.0s), taken back") == true)
  }

  @Test func aRestoreSaysWhatItRestored() throws {
    let folder = try CommandFolder(files: "a", "b", "c")
    try folder.done("save", "before upgrade")
    try folder.write("a", "other")
    folder.remove("b")
    try folder.write("d", "new")
    try folder.done("save", "after")
    try folder.done("restore", "before upgrade")
    #expect(try stories(folder) == ["restored before upgrade: 1 created, 1 replaced, 1 removed"])
    let restored = try folder.document("log")["entries"].list[0]["restored"]
    #expect(restored["name"].text == "before upgrade")
    #expect(
      ["created", "replaced", "removed", "metadata"].map { restored[$0] } == [1, 1, 1, 0].map { .number($0) })
    // A part of a state, and what has no name.
    try folder.done("restore", "after", "a")
    #expect(try stories(folder).first == "restored after: 1 replaced")
    try folder.write("a", "third")
    try folder.done("save")
    let id = try folder.document("status")["at"]["id"].text ?? ""
    try folder.done("restore", "before upgrade")
    try folder.done("restore", id)
    #expect(try stories(folder).first?.hasPrefix("restored \(id.prefix(12)): ") == true)
    // A save of the same folder takes the step's place, and what it did stays known.
    try folder.done("save", "named")
    #expect(try stories(folder).first?.hasPrefix("restored \(id.prefix(12)): ") == true)
  }

  @Test func aNoteIsBesideTheSnapshot() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one", "-m", "message")
    let id = try folder.document("status")["at"]["id"].text ?? ""
    #expect(try folder.memento("describe", "one").status == 1)
    let noted = try folder.memento("describe", "one", "-m", "first\nsecond \u{1b}[31m")
    #expect(noted.status == 0 && noted.output == "\(id.prefix(12)): noted\n")
    #expect(try folder.document("status")["at"]["id"].text == id)
    #expect(try stories(folder) == ["message", "note: first", "second \\x1b[31m"])
    #expect(try folder.memento("show", "one").output.contains("\n    note: first\n"))
    #expect(try folder.memento("describe", "@").output == "first\nsecond \\x1b[31m\n")
    let second = try folder.document("describe", "one", "-m", "other", "-n")
    #expect(second["replaced"].text?.hasPrefix("first") == true && second["dry_run"] == .bool(true))
    #expect(try folder.document("log")["entries"].list[0]["note"].text?.hasPrefix("first") == true)
    #expect(
      try folder.memento("describe", "one", "-m", "other").output
        == "\(id.prefix(12)): noted, in the place of: first ...\n"
    )
    #expect(try folder.memento("describe", "one", "-m", "").output == "\(id.prefix(12)): removed its note\n")
    #expect(try stories(folder) == ["message"])
    #expect(try folder.memento("describe", "none", "-m", "x").status == 12)
    let long = try folder.memento("describe", "one", "-m", String(repeating: "é", count: 2049))
    #expect(long.status == 2 && long.errors.contains("at most 4096 bytes"))
  }

  /// The note outlives the name, and goes with the snapshot.
  @Test func gcForgetsTheNoteOfWhatIsGone() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "v", "--stdin", input: "1")
    let id = try folder.document("log", "v")["entries"].list[0]["snapshot"]["id"].text ?? ""
    try folder.done("describe", "v", "-m", "kept")
    try folder.done("delete", "v")
    #expect(try folder.memento("describe", id).output == "kept\n")
    try folder.done("gc", "--now")
    try folder.done("gc", "--now", "--recompress")
    #expect(try !folder.read(".memento/refs").contains("note "))
  }

  @Test(arguments: [
    (0, "0.0s"), (999, "0.9s"), (9_999, "9.9s"), (10_000, "10s"), (59_999, "59s"), (60_000, "1m00s"),
    (130_000, "2m10s"), (3_600_000, "1h00m"), (UInt64.max, "5124095576030h25m"),
  ])
  func durations(_ milliseconds: UInt64, _ text: String) {
    #expect(StepText.duration(milliseconds) == text)
  }
}
