import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct SaveCommandTests {
  @Test func theFirstSaveMakesTheStoreAndSaysSo() throws {
    let folder = try CommandFolder(files: "a", "sub/b")
    let run = try folder.memento("save", "one")
    #expect(run.status == 0)
    #expect(run.errors == "memento: made the store \(folder.path)/.memento\n")
    #expect(run.output.hasPrefix("saved one \(try folder.id("one")): 2 added; "))
    #expect(run.output.hasSuffix(" added to the store\n"))
    #expect(run.output.filter { $0 == "\n" }.count == 1)
  }

  /// Whoever comes from git may mean the folder of that name alone.
  @Test func aNameThatIsAlsoAPathIsExplained() throws {
    let folder = try CommandFolder(files: "a", "sub/b")
    try folder.done("init")
    let run = try folder.memento("save", "sub")
    #expect(run.status == 0 && run.output.contains(": 2 added; "), "\(run.output)")
    #expect(run.errors == "hint: \(Advice.savedAll)\n", "\(run.errors)")
    try folder.write("a", "another")
    // A value may be called after its file.
    #expect(try folder.memento("save", "/etc/hosts", "--stdin", input: "x").status == 0)
    #expect(try folder.memento("save", "/etc/hosts").status == 2)
    #expect(try folder.done("save", "sub").errors.isEmpty)
    #expect(try folder.done("save", "other").errors.isEmpty)
  }

  @Test func itCountsWhatChangedSinceThePosition() throws {
    let folder = try CommandFolder(files: "a", "b", "c")
    try folder.done("save", "one")
    try folder.write("a", "another")
    folder.remove("b")
    try folder.write("d", "d")
    #expect(try folder.done("save", "two").output.contains(": 1 added, 1 modified, 1 removed; "))
    #expect(try folder.done("save", "three").output.contains(": no changes; "))
  }

  @Test func aNameInUseMoves() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let old = try folder.id("one")
    try folder.write("a", "b")
    let run = try folder.done("save", "one")
    #expect(run.output.hasPrefix("saved one \(try folder.id("one")) (was \(old)): 1 modified; "))
    #expect(run.errors.isEmpty)
  }

  @Test func noClobberRefusesANameInUse() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let id = try folder.id("one")
    try folder.write("a", "b")
    let run = try folder.memento("save", "one", "--no-clobber")
    #expect(run.status == 1)
    #expect(
      run.errors
        == "memento: the name \"one\" is in use (\(id))\nhint: choose another name, or leave out --no-clobber\n")
    #expect(run.output.isEmpty)
    #expect(try folder.id("one") == id)
    #expect(try folder.memento("save", "two", "--no-clobber").status == 0)
    #expect(try folder.memento("save", "two", "--no-clobber", "--from", "one").status == 1)
    #expect(try folder.memento("save", "two", "--no-clobber", "--stdin").status == 1)
  }

  @Test func withoutANameItIsOnTheTimeline() throws {
    let folder = try CommandFolder(files: "a")
    #expect(try folder.done("save").output.hasPrefix("saved (unnamed) "))
    #expect(try folder.done("list").output.isEmpty)
    #expect(try folder.document("log")["entries"].list.count == 1)
    #expect(try folder.done("restore", "@").output.contains("nothing to change"))
  }

  @Test(arguments: [["-m", "a\nb"], ["-ma\nb"], ["--message", "a\nb"], ["--message=a\nb"]])
  func aMessageIsKept(_ words: [String]) throws {
    let folder = try CommandFolder(files: "a")
    let run = try CommandRun(bytes: (["save", "one"] + words).map(\.bytes), in: folder.path)
    #expect(run.status == 0)
    #expect(try folder.document("list")["states"].list.first?["snapshot"]["message"] == .text("a\nb"))
    #expect(try folder.done("list").output.hasSuffix("  a ...\n"))
    #expect(try folder.done("log").output.hasSuffix("\n    a\n    b\n"))
  }

  @Test func aSnapshotGetsAnotherName() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one", "-m", "first")
    try folder.write("a", "b")
    let run = try folder.done("save", "two words", "--from", "one")
    #expect(run.output == "named two words \(try folder.id("one"))\n")
    #expect(try folder.fullID("two words") == folder.fullID("one"))
    #expect(try folder.read("a") == "b")
    try folder.done("save", "three")
    #expect(try folder.document("save", "two words", "--from", "three")["replaced"].text == folder.fullID("one"))
    #expect(try folder.memento("save", "x", "--from", "nothing").status == 12)
  }

  @Test func itRecordsTheWholeFolderFromBelow() throws {
    let folder = try CommandFolder(files: "a", "sub/deep/b")
    try folder.done("save", "one")
    try folder.write("c", "c")
    let run = try folder.memento("save", "two", below: "sub/deep")
    #expect(run.status == 0)
    #expect(run.output.contains(": 1 added; "))
    #expect(!folder.directory.exists("sub/deep/.memento"))
  }

  @Test func rehashReadsEverything() throws {
    let folder = try CommandFolder(files: "a", "b")
    try folder.done("save")
    #expect(try folder.document("save", "--rehash")["bytes_read"] == .number(2))
    #expect(try folder.document("save", "--rehash", "--no-sync")["modified"] == .number(0))
  }

  @Test func theDocumentKeepsItsContract() throws {
    let folder = try CommandFolder(files: "a", "sub/b")
    let document = try folder.document("save", "one", "-m", "why")
    #expect(document.breaches(of: Contract.save) == [])
    #expect(document["schema"] == .number(1))
    #expect(document["added"] == .number(2))
    #expect(document["bytes_read"] == .number(6))
    #expect(document["store_created"] == .bool(true))
    #expect(document["dry_run"] == .bool(false))
    let snapshot = document["snapshot"]
    #expect(snapshot.breaches(of: Contract.snapshot) == [])
    #expect(snapshot["parent"] == .null)
    #expect(snapshot["name"] == .text("one"))
    #expect(snapshot["message"] == .text("why"))
    #expect(snapshot["files"] == .number(2))
    #expect(snapshot["bytes"] == .number(6))
    #expect(snapshot["kind"] == .text("tree"))
    #expect(snapshot["complete"] == .bool(true))
    #expect(Contract.isID(snapshot["id"]) && Contract.isTime(snapshot["time"]))
    let same = try folder.document("save")
    #expect(same["unchanged"] == .bool(true) && same["snapshot"]["id"] == snapshot["id"])
    try folder.write("a", "another")
    let next = try folder.document("save")
    #expect(next["unchanged"] == .bool(false))
    #expect(next["snapshot"]["parent"] == snapshot["id"])
    #expect(next["snapshot"]["name"] == .null)
    #expect(next["store_created"] == .bool(false))
  }

  @Test func aSocketIsNoted() throws {
    let folder = try CommandFolder(files: "a")
    try folder.makeSocket("s\u{1B}")
    let run = try folder.memento("save", "one")
    #expect(run.status == 0)
    #expect(run.errors.contains("memento: note: s\\x1b: "))
    #expect(try folder.memento("save", "-q", "two").errors.isEmpty)
    let problems = try folder.document("save", "three")["problems"].list
    #expect(problems.map { $0["path"] } == [.text("s\u{1B}")])
    #expect(problems.allSatisfy { $0.breaches(of: ["path": "text", "message": "text"]) == [] })
  }

  @Test(arguments: [
    "", " a", "a ", "-a", "@", "@a", "a@{b", "a:b", "a~b", "a\\b", "a*b", "a?b", "a[b", "a\nb", "a\u{202E}b",
    "a\u{200B}b",
    String(repeating: "a", count: 256), String(repeating: "0", count: 64),
  ])
  func aBadNameIsRefusedAndNothingIsMade(_ name: String) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("init")
    let before = try folder.storeRecord()
    // After `--` a leading hyphen is no option.
    let run = try folder.memento("save", "--", name)
    #expect(run.status == 2)
    #expect(run.errors.filter { $0 == "\n" }.count == 2)
    #expect(run.errors.hasPrefix("memento: the name \""))
    #expect(run.errors.contains("\nhint: "))
    #expect(try folder.storeRecord() == before)
  }

  @Test(arguments: ["a b", "exp/lr 0.1", "ż", "日本", "👩‍🔬x".filter { $0.isASCII } + "y", "deadbeef", "a.b_c-d+e,f"])
  func aGoodNameComesBack(_ name: String) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", name)
    #expect(try folder.document("list")["states"].list.map { $0["name"] } == [.text(name)])
    try folder.write("a", "b")
    #expect(try folder.done("restore", name).output.hasPrefix("restored \(name) "))
    #expect(
      try folder.memento("save", name.uppercased() == name ? name.lowercased() : name.uppercased()).status
        == (name.uppercased() == name && name.lowercased() == name ? 0 : 2))
    #expect(try folder.memento("delete", name).status == 0)
  }
}
