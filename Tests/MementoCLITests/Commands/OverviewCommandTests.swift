// memento without a command: one screen about the folder.

import TestSupport
import Testing

@testable import MementoCLI

struct OverviewCommandTests {
  let folder: CommandFolder

  init() throws {
    folder = try CommandFolder()
  }

  private func screen() throws -> [String] {
    let run = try folder.done()
    #expect(run.errors.isEmpty)
    return run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func aFolderWithoutAStoreIsToldWhatToTypeFirst() throws {
    let place = try TemporaryDirectory()
    let run = try CommandRun(bytes: ["-C".bytes, place.path.bytes])
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(run.output.contains("There is no store for \(place.path) yet.") && run.output.contains("memento save NAME"))
    #expect(try CommandRun(bytes: ["--json".bytes, "-C".bytes, place.path.bytes]).status == 10)
    #expect(try place.names().isEmpty)
    // In the home folder a save would be refused.
    #expect(!run.output.contains("memento init"))
    let home = try CommandRun(bytes: ["-C".bytes, place.path.bytes]) { $0.environment["HOME"] = place.path.bytes }
    #expect(home.output.contains("  memento init "), "\(home.output)")
  }

  @Test func itSaysWhereTheFolderIsAndWhatUndoDoes() throws {
    try folder.write("a", "1")
    _ = try folder.done("save", "one")
    #expect(try screen().contains("nothing to undo"))
    try folder.write("a", "2")
    _ = try folder.done("save", "two", "-m", "the second")
    var lines = try screen()
    #expect(lines[0] == folder.path && lines[1].hasPrefix("2 states, "))
    #expect(lines.contains { $0.hasPrefix("at two ") && $0.hasSuffix(", nothing changed") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("* ") && $0.hasSuffix("(two) the second") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("memento undo goes to one ") }, "\(lines)")
    for number in 0..<12 { try folder.write("new\(number)", "x") }
    lines = try screen()
    #expect(lines.contains { $0.hasSuffix(", since then 12 added") } && lines.contains("  and 2 more: memento status"))
    #expect(lines.contains { $0.hasPrefix("memento undo saves these changes and goes back to two ") })
    // The undo does what was said, and the redo, too.
    _ = try folder.done("undo")
    lines = try screen()
    #expect(
      lines.contains { $0.hasPrefix("at two ") } && lines.contains { $0.hasPrefix("memento redo goes to (unnamed) ") })
    _ = try folder.done("undo")
    lines = try screen()
    #expect(lines.contains { $0.hasPrefix("at one ") } && lines.contains { $0.hasPrefix("memento redo goes to two ") })
    #expect(lines.contains("nothing to undo"))
  }

  @Test func asJSON() throws {
    try folder.write("a", "1")
    _ = try folder.done("save", "one")
    try folder.write("b", "2")
    let output = try folder.done("--json").output
    for part in ["\"status\":{", "\"entries\":[{", "\"states\":1", "\"redo\":null", "\"undo\":{\"names\":[\"one\"]"] {
      #expect(output.contains(part), "\(output)")
    }
  }

  @Test func aNameThatIsSpeltWrong() throws {
    try folder.write("a", "1")
    for name in ["before-upgrade", "two", "café"] { _ = try folder.done("save", name) }
    for (words, name) in [
      (["restore", "befor-upgrade"], "before-upgrade"), (["restore", "tow"], "two"), (["cat", "cafe:a"], "café"),
      (["delete", "before_upgrade"], "before-upgrade"), (["rename", "twoo", "x"], "two"), (["stats", "tw"], "two"),
    ] {
      let run = try CommandRun(bytes: words.map(\.bytes), in: folder.path)
      #expect(run.status == 12 && run.errors.hasSuffix("hint: did you mean \"\(name)\"?\n"), "\(run.errors)")
    }
    let run = try folder.memento("restore", "nothing-like-it")
    #expect(run.errors.hasSuffix("hint: `memento list` shows the states, `memento log` the history\n"))
  }
}
