import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct HistoryCommandTests {
  /// `one` and `two`, then an undo, and `other`; a value that was replaced; `two` is deleted.
  private func busyFolder() throws -> CommandFolder {
    let folder = try CommandFolder(files: "a", "d/x")
    try folder.done("save", "one", "-m", "first line\nmore")
    try folder.write("a", "aaa")
    try folder.write("d/new\u{1b}", "n")
    try folder.done("save", "two")
    try folder.done("undo")
    folder.remove("d/x")
    try folder.done("save", "other")
    try folder.done("save", "v", "--stdin", input: "1")
    try folder.done("save", "v", "--stdin", input: "22")
    try folder.done("delete", "two")
    return folder
  }

  private func lines(_ run: CommandRun) -> [String] {
    run.output.split(separator: "\n").map(String.init)
  }

  // MARK: log

  @Test func aLineAnEntry() throws {
    let folder = try busyFolder()
    let short = lines(try folder.done("log", "--oneline"))
    #expect(
      short == ["* \(try folder.id("other")) (other) save +0 ~0 -1", "  \(try folder.id("one")) (one) first line ..."])
    let all = lines(try folder.done("log", "--oneline", "--all"))
    #expect(all.count == 6)
    #expect(all[0] == "     \(try folder.id("v")) (v) save value")
    #expect(all[1].hasSuffix(" [replaced] save value"))
    #expect(all[3].hasPrefix("| o  ") && all[3].hasSuffix(" [undone; deleted: two] save +1 ~1 -0"))
    let (one, other) = (try folder.id("one"), try folder.id("other"))
    #expect(all[2].hasPrefix("*    \(other) (other) "))
    #expect(all[4] == "|-'" && all[5].hasPrefix("o    \(one) (one) "))
  }

  @Test func filesAreListedWithTheirSizes() throws {
    let folder = try busyFolder()
    let all = lines(try folder.done("log", "--all", "--stat"))
    let entry = try #require(all.firstIndex { $0.contains("[undone; deleted: two]") })
    #expect(all[(entry + 1)...(entry + 2)] == ["| |      M  a          1 B -> 3 B", "| |      A  d/new\\x1b  1 B"])
    #expect(lines(try folder.done("log", "--stat"))[1] == "    D  d/x  3 B")
    #expect(lines(try folder.done("log", "--stat", "--oneline", "-n1", "--", "a")).suffix(1) == ["    A  a  1 B"])
  }

  @Test func pathsStandAfterTheDashes() throws {
    let folder = try busyFolder()
    #expect(lines(try folder.done("log", "--oneline", "--", "d")).count == 2)
    #expect(lines(try folder.done("log", "--oneline", "--", "a")).count == 1)
    #expect(lines(try folder.done("log", "--oneline", "other", "--", "d/x", "a")).count == 2)
    #expect(lines(try folder.done("log", "--oneline", "one", "--", "d/x")).count == 1)
    #expect(try folder.memento("log", "--oneline", "--", "x", below: "d").output.split(separator: "\n").count == 2)
    // git takes a path in the place of a snapshot: the hint says where it goes.
    let path = try folder.memento("log", "a")
    #expect(path.status == 12 && path.errors.contains("hint: `memento log -- a`"))
    #expect(try !folder.memento("log", "missing").errors.contains("log --"))
    #expect(try folder.memento("log", "--oneline", "--", "../a", below: "d").output.split(separator: "\n").count == 1)
    #expect(try folder.done("log", "--", "nothing").output.isEmpty)
    #expect(try folder.memento("log", "a").status == 12)
    let outside = try folder.memento("log", "--", "/etc")
    #expect(outside.status == 2)
    #expect(outside.errors.contains("is not in the folder"))
  }

  @Test func recordsAndDocumentsAreMarked() throws {
    let folder = try busyFolder()
    let records = try folder.done("log", "--all", "-z").outputBytes.split(separator: 0)
    #expect(records.map { $0.first.map { String(Unicode.Scalar($0)) } } == [" ", "r", "*", "d", " "])
    let plain = try folder.document("log")["entries"].list
    #expect(plain.allSatisfy { $0["marks"] == .null && $0["changes"] == .null })
    let entries = try folder.document("log", "--all", "--stat")["entries"].list
    for entry in entries { #expect(entry.breaches(of: Contract.entry) == []) }
    #expect(entries.map { $0["marks"].list.compactMap(\.text) } == [[], ["replaced"], [], ["undone", "deleted"], []])
    #expect(entries[3]["deleted_names"] == .list([.text("two")]))
    let change = try #require(entries[3]["changes"].list.first)
    #expect(change["path"] == .text("a"))
    #expect(change["change"] == .text("modified"))
    #expect(change["old_size"] == .number(1))
    #expect(change["size"] == .number(3))
    #expect(entries[2]["changes"].list.first?["size"] == .null)
  }

  /// A clock and a zone of its own: the command is run a day after the last save.
  @Test func datesAreTakenInLocalTime() throws {
    let folder = try busyFolder()
    let day: Int64 = 86400
    func listed(_ arguments: String...) throws -> Int {
      let run = try CommandRun(bytes: (["log", "--oneline"] + arguments).map(\.bytes), in: folder.path) { context in
        let now = SnapshotTime.now
        context.now = { SnapshotTime(seconds: now.seconds + day, nanoseconds: 0) }
        context.zoneOffset = { _ in 3600 }
      }
      #expect(run.status == 0, "\(run.errors)")
      return run.output.split(separator: "\n").count
    }
    #expect(try listed("--since", "2d") == 2)
    #expect(try listed("--since=1h") == 0)
    #expect(try listed("--until", "1h") == 2)
    #expect(try listed("--until=2d") == 0)
    #expect(try listed("--since", "2000-01-01", "--until", "2999-12-31 23:59") == 2)
    // As it is printed, with the offset.
    let times = try folder.document("log")["entries"].list.compactMap { $0["time"].text }
    #expect(try listed("--until", times[1]) == 1)
    #expect(try listed("--since", times[0]) == 1)
  }

  @Test func whatDoesNotGoTogether() throws {
    let folder = try busyFolder()
    for arguments in [
      ["--all", "one"], ["--oneline", "-z"], ["--oneline", "--json"], ["--stat", "-z"], ["one", "two"], ["--since"],
      ["--since", ""], ["--until", "tomorrow"], ["--since", "2026-13-01"],
    ] {
      let run = try CommandRun(bytes: (["log"] + arguments).map(\.bytes), in: folder.path)
      #expect(run.status == 2, "\(arguments)")
      #expect(run.output.isEmpty)
    }
    let bad = try folder.memento("log", "--since", "x\u{1b}y")
    #expect(bad.errors == "memento: \"x\\x1by\" is not a date\nhint: \(DateReader.forms)\n")
  }

  // MARK: NAME@{DATE}

  @Test func namesAtATime() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "s")
    let first = try folder.fullID("s")
    let time = try #require(try folder.document("log")["entries"].list.first?["time"].text)
    try folder.write("a", "2")
    try folder.done("save", "s")
    for revision in ["s@{\(time)}", "@{\(time)}", "s~1", "@~1"] {
      let plan = try folder.document("restore", revision, "-n")
      #expect(plan["snapshot"]["id"].text == first, "\(revision)")
    }
    try folder.done("save", "back", "--from", "s@{\(time)}")
    #expect(try folder.fullID("back") == first)
    let early = try folder.memento("restore", "s@{1h}")
    #expect(early.status == 12)
    #expect(early.errors.hasPrefix("memento: there was no state \"s\" at that time (1h)\n"))
    let none = try folder.memento("restore", "s@{soon}")
    #expect(none.status == 12)
    #expect(
      none.errors.hasPrefix("memento: \"s@{soon}\" names nothing: \"soon\" is not a date\nhint: write 2026-06-01, "))
  }

  @Test func digitsOfSomethingElse() throws {
    let folder = try CommandFolder()
    try folder.write("a", "some content\n")
    try folder.done("save", "s")
    // sha256 of "some content\n", which is a file of the snapshot, and of nothing.
    let run = try folder.memento("restore", "a1ee2a3ee0ed2e3cb1d4a4dbc63ce1eaf9bb40c4a1d68df9dd3b0c0f8f2d4e0d")
    #expect(run.status == 12)
    let content = try #require(try Launch(["sha256sum", "a"], in: folder.path).output.split(separator: " ").first)
    let file = try folder.memento("restore", String(content))
    #expect(file.status == 12)
    #expect(
      file.errors
        == "memento: there is no snapshot \(content.prefix(12))\nhint: `memento log --all` shows all snapshots\n")
  }

  // MARK: rename

  @Test func renaming() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.write("a", "2")
    try folder.done("save", "two words")
    let id = try folder.id("one")
    #expect(try folder.done("rename", "one", "uno", "-n").output == "would rename one to uno \(id)\n")
    #expect(try folder.id("one") == id)
    #expect(try folder.done("rename", "one", "uno").output == "renamed one to uno \(id)\n")
    #expect(try folder.memento("rename", "one", "x").status == 12)
    let used = try folder.memento("rename", "uno", "two words")
    #expect(used.status == 1)
    #expect(used.errors.hasSuffix("\nhint: choose another name, or replace it with --force\n"))
    let lost = try folder.id("two words")
    let plan = try folder.document("rename", "uno", "two words", "-f", "-n")
    #expect(plan["dry_run"] == .bool(true))
    let forced = try folder.done("rename", "uno", "two words", "--force")
    #expect(
      forced.output == "deleted two words (was \(lost)); name it again with: memento save 'two words' --from \(lost)\n"
        + "renamed uno to two words \(id)\n")
    let document = try folder.document("rename", "two words", "three")
    #expect(document["old"] == .text("two words"))
    #expect(document["new"] == .text("three"))
    #expect(Contract.isID(document["id"]))
    #expect(document["replaced"] == .null)
    #expect(document["dry_run"] == .bool(false))
    #expect(try folder.done("rename", "-q", "three", "Three").output.isEmpty)
    #expect(try folder.memento("rename", "Three").status == 2)
    #expect(try folder.memento("rename", "Three", "a:b").status == 2)
    #expect(try folder.memento("rename", "Three", "Three").status == 2)
  }

  // MARK: undo and redo

  @Test func undoSaysWhatAndWhere() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let one = try folder.id("one")
    try folder.write("a", "22")
    try folder.done("save", "one")
    let two = try folder.id("one")
    // The name means something else by now.
    #expect(
      try folder.done("undo").output
        == "undid save one \(two)\nnow at \(one) (saved as one): 1 replaced; 1 B written\n")
    #expect(try folder.done("status").output == "at \(one) (saved as one)\nnothing changed\n")
    #expect(try folder.document("status")["at"]["name"] == .null)
    try folder.done("save", "old", "--from", "@")
    #expect(try folder.done("status").output.hasPrefix("at old \(one)\n"))
    #expect(try folder.done("redo").output == "redid save one \(two)\nnow at one \(two): 1 replaced; 2 B written\n")
    let end = try folder.memento("redo")
    #expect(end.status == 1)
    #expect(end.errors == "memento: nothing to redo\n")
    let far = try folder.memento("undo", "2")
    #expect(far.status == 1)
    #expect(far.errors == "memento: only 1 step to undo\nhint: `memento log` shows the steps\n")
    #expect(try folder.read("a") == "22")
  }

  @Test func theDocumentOfAMove() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.write("b", "b")
    let store = try folder.storeRecord()
    let plan = try folder.document("undo", "-n")
    #expect(plan.breaches(of: Contract.restore) == [])
    #expect(plan["dry_run"] == .bool(true))
    #expect(try folder.storeRecord().differences(from: store) == [])
    #expect(
      try folder.done("undo", "--dry-run").output.hasPrefix("remove b\nwould undo unsaved changes\nwould be at one "))
    let document = try folder.document("undo")
    #expect(document.breaches(of: Contract.restore) == [])
    #expect(document["guard"].kind == "text")
    #expect(document["steps"].list.map { $0["unsaved"] } == [.bool(true)])
    let back = try folder.document("redo")
    #expect(back.breaches(of: Contract.restore) == [])
    #expect(back["snapshot"]["id"] == document["guard"])
    #expect(try folder.read("b") == "b")
    let error = try JSONValue(try folder.memento("redo", "--json").errorBytes)
    #expect(error.breaches(of: Contract.error) == [])
    #expect(error["id"] == .text("timeline-end"))
  }
}
