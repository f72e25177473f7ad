import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct DiffCommandTests {
  /// Two states, `one` and `two`, that differ in every way there is.
  private func twoStates() throws -> CommandFolder {
    let folder = try CommandFolder(files: "same", "gone", "old", "mode", "type")
    let tools = FolderTools(folder.path.bytes)
    try folder.write("src/a", "1\n2\n3\n")
    try folder.write("bin", "a\0b")
    try tools.makeLink("link".bytes, to: "a".bytes)
    try folder.done("save", "one", "-m", "first")
    for name in ["gone", "type", "link", "old"] { folder.remove(name) }
    try folder.write("src/a", "1\ntwo\n3\n")
    try folder.write("bin", "a\0bc")
    try folder.write("new", "n")
    try folder.write("moved", "old")
    try tools.setMode("mode".bytes, 0o640)
    try tools.makeLink("type".bytes, to: "x".bytes)
    try tools.makeLink("link".bytes, to: "b".bytes)
    try tools.makeFolder("empty".bytes)
    return folder
  }

  private static let nameStatus = """
    M bin
    A empty
    D gone
    M link
    m mode
    R old -> moved
    A new
    M src/a
    T type

    """

  @Test func theFolderAndTheSnapshotOfItDifferInTheSame() throws {
    let folder = try twoStates()
    let forms: [[String]] = [["--name-status"], ["--stat"], ["--patch"], ["-z"], []]
    let before = try forms.map { try CommandRun(bytes: (["diff"] + $0).map(\.bytes), in: folder.path).outputBytes }
    #expect(String(decoding: before[0], as: UTF8.self) == DiffCommandTests.nameStatus)
    #expect(before[4] == before[2])
    try folder.done("save", "two")
    for (form, expected) in zip(forms, before) {
      let run = try CommandRun(bytes: (["diff", "one", "two"] + form).map(\.bytes), in: folder.path)
      #expect(run.outputBytes == expected)
      #expect(try CommandRun(bytes: (["diff", "one"] + form).map(\.bytes), in: folder.path).outputBytes == expected)
    }
    #expect(try folder.done("diff").output.isEmpty)
    #expect(try folder.done("diff", "@~1", "@", "--patch").outputBytes == before[2])
  }

  @Test func aPatchSaysEverything() throws {
    let folder = try twoStates()
    let patch = try folder.done("diff", "-p").output
    for part in [
      "diff --memento a/bin b/bin\nBinary files a/bin and b/bin differ (3 and 4 bytes)\n",
      "diff --memento a/empty b/empty\nnew directory mode 040755\n",
      "diff --git a/gone b/gone\ndeleted file mode 100600\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
        + "\\ No newline at end of file\n",
      "diff --git a/link b/link\nindex ca978112ca1b..3e23e8160039 120000\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n-a\n"
        + "\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
      "diff --git a/mode b/mode\nold mode 100600\nnew mode 100640\n",
      "diff --git a/old b/moved\nsimilarity index 100%\nrename from old\nrename to moved\n",
      "diff --git a/src/a b/src/a\n--- a/src/a\n+++ b/src/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n",
      "diff --git a/type b/type\ndeleted file mode 100600\n",
      "diff --git a/type b/type\nnew file mode 120000\n--- /dev/null\n+++ b/type\n@@ -0,0 +1 @@\n+x\n",
    ] { #expect(patch.contains(part), "\(part)\nis not in\n\(patch)") }
    #expect(try folder.done("diff", "-U", "0", "--", "src").output.hasSuffix("@@ -2 +2 @@\n-2\n+two\n"))
  }

  @Test func metadataIsInHeaderLines() throws {
    let folder = try CommandFolder(files: "a", "b")
    let tools = FolderTools(folder.path.bytes)
    try tools.setTime("a".bytes, 1_000_000_000, 5)
    try folder.done("save", "one")
    try tools.setTime("a".bytes, 1_000_000_000, 6)
    try folder.write("b", "other")
    #expect(
      try folder.done("diff", "-p", "--", "a").output == """
        diff --memento a/a b/a
        old time 2001-09-09T01:46:40.000000005Z
        new time 2001-09-09T01:46:40.000000006Z

        """)
    // What was written to has another time anyway.
    #expect(try !folder.done("diff", "-p", "--", "b").output.contains("time"))
    #expect(try folder.done("diff", "--stat").output.contains(" a | 0\n"))
    #expect(try folder.done("diff", "--name-status").output == "m a\nM b\n")
  }

  @Test func statsCountLines() throws {
    let folder = try twoStates()
    let lines = try folder.done("diff", "--stat").output.split(separator: "\n")
    #expect(lines.contains(" src/a        |   2 +-"))
    #expect(lines.contains(" bin          | Bin 3 -> 4 bytes"))
    #expect(lines.contains(" old => moved |   0"))
    #expect(lines.last == " 8 files changed, 1 folder changed, 4 insertions(+), 4 deletions(-)")
    let document = try folder.document("diff", "--stat")["changes"].list
    let source = try #require(document.first { $0["path"] == .text("src/a") })
    #expect(source["insertions"] == .number(1) && source["deletions"] == .number(1))
  }

  @Test func recordsAndDocumentsAreExact() throws {
    let folder = try twoStates()
    let hostile = [0xFF, 0x1B] + "[31m\n".bytes
    try FolderTools(folder.path.bytes).write(hostile, "x\n".bytes)
    let records = try folder.done("diff", "-z").outputBytes.split(separator: 0).map { Array($0) }
    #expect(records.contains("A ".bytes + hostile))
    let place = try #require(records.firstIndex(of: "R moved".bytes))
    #expect(records[place + 1] == "old".bytes)
    let document = try folder.document("diff")
    #expect(document["schema"] == .number(1))
    #expect(document["to"] == .null)
    #expect(document["at"]["name"] == .text("one"))
    #expect(document["restore_pending"] == .bool(false))
    let changes = document["changes"].list
    #expect(changes.count == 10)
    #expect(changes.contains { $0["path_b64"] == .text(JSONText.base64(hostile)) })
    let renamed = try #require(changes.first { $0["change"] == .text("renamed") })
    #expect(renamed["path"] == .text("moved") && renamed["old_path"] == .text("old"))
    #expect(renamed["old_size"] == .number(3))
    // Nothing of a name gets through to a terminal, whatever the form; names in patches are quoted as git quotes.
    for form in ["--name-status", "--stat", "--patch"] {
      #expect(try !folder.done("diff", form).outputBytes.contains(0x1B), "\(form)")
    }
    #expect(try folder.done("diff", "-p").output.contains("+++ \"b/\\377\\033[31m\\n\"\n"))
    #expect(try !folder.done("status").outputBytes.contains(0x1B))
  }

  @Test func pathsChooseAPart() throws {
    let folder = try twoStates()
    #expect(try folder.done("diff", "--name-status", "--", "src", "new").output == "A new\nM src/a\n")
    #expect(try folder.done("diff", "one", "--name-status", "--", "src/a").output == "M src/a\n")
    #expect(try folder.memento("diff", "--name-status", "--", "a", below: "src").output == "M src/a\n")
    let all = try folder.memento("diff", "--name-status", "--", "..", below: "src")
    #expect(all.output == DiffCommandTests.nameStatus)
    #expect(try folder.done("diff", "--", "same").output.isEmpty)
    // Of a rename only one half may be meant.
    #expect(try folder.done("diff", "--name-status", "--", "moved").output == "A moved\n")
    #expect(try folder.done("status", "src", "new").output.hasSuffix("\nA new\nM src/a\n"))
    #expect(try folder.memento("status", "a", "-z", below: "src").outputBytes == "M src/a\0".bytes)
    #expect(try folder.document("status", "same")["changes"] == .list([]))
    #expect(try folder.memento("diff", "--", "/elsewhere").status == 2)
  }

  @Test func statusesAreSaid() throws {
    let folder = try twoStates()
    #expect(try folder.memento("diff", "--exit-code").status == 1)
    #expect(try folder.memento("diff", "--exit-code", "--json").status == 1)
    #expect(try folder.memento("diff", "--exit-code", "--", "same").status == 0)
    #expect(try folder.memento("diff", "nothing").status == 12)
    #expect(try folder.memento("diff", "one", "nothing").status == 12)
    for wrong in [
      ["one", "one", "one"], ["--patch", "--stat"], ["-z", "--patch"], ["-z", "--json"], ["-p", "--json"],
      ["--stat", "-U1"], ["-U", "x"],
    ] {
      #expect(try CommandRun(bytes: (["diff"] + wrong).map(\.bytes), in: folder.path).status == 2, "\(wrong)")
    }
    #expect(try CommandFolder().memento("diff").status == 10)
  }

  @Test func valuesAreComparedWithValues() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "tree")
    try folder.done("save", "v", "--stdin", input: "1\n2\n")
    try folder.done("save", "v", "--stdin", input: "1\n3\n")
    #expect(try folder.done("diff", "v~1", "v", "-p").output.hasSuffix("\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"))
    #expect(try folder.done("diff", "v", "v").output.isEmpty)
    #expect(try folder.memento("diff", "v").errors.hasPrefix("memento: \"v\" is a single value"))
    #expect(try folder.memento("diff", "tree", "v").status == 1)
  }

  @Test func withNothingSavedEverythingIsAdded() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("init")
    #expect(try folder.done("diff", "--name-status").output == "A a\n")
    #expect(try folder.document("diff")["at"] == .null)
  }

  @Test func damageIsNamed() throws {
    let folder = try CommandFolder(files: "a", "b")
    try folder.done("save", "one")
    try folder.write("b", "other")
    try folder.done("save", "two")
    try folder.dropParity()
    let store = try Store(opening: folder.directory.descriptor.open(".memento".bytes, .directory), durable: false)
    let place = try #require(try store.index.place(of: ObjectID(hashing: "b".bytes)))
    let pack = ".memento/packs/\(store.index.packID(place.pack)).pack"
    var bytes = try folder.directory.read(pack)
    for byte in 0..<Int(place.block.storedLength) { bytes[Int(place.block.offset) + byte] ^= 0x55 }
    try folder.directory.write(pack, bytes)
    for line in [
      ["diff", "one", "two", "-p"], ["diff", "one", "-p"], ["cat", "one:b"], ["show", "one:b"],
      ["diff", "one", "--stat"],
      ["show", "two"], ["cat", "one:b", "--json"],
    ] {
      let run = try CommandRun(bytes: line.map(\.bytes), in: folder.path)
      #expect(run.status == 13, "\(line): \(run.errors)")
      #expect(run.errors.contains("cannot read b: "), "\(line): \(run.errors)")
    }
    // Nobody has to read it for these.
    #expect(try folder.done("diff", "one", "two", "--name-status").output == "M b\n")
    #expect(try folder.done("ls", "one").output == "a\nb\n")
  }

  @Test func whoLooksWaitsForNobody() throws {
    let folder = try twoStates()
    let lines = [
      ["diff"], ["diff", "-p"], ["show", "one"], ["show", "one:src/a"], ["cat", "one:src/a"], ["ls", "one"],
    ]
    let store = try Store(opening: folder.directory.descriptor.open(".memento".bytes, .directory), durable: false)
    let lock = try store.locks.take(RemovesPacks.self, upgrading: true, waiting: 0)
    for line in lines {
      let run = try CommandRun(bytes: (line + ["--wait", "0"]).map(\.bytes), in: folder.path)
      #expect(run.status == 0, "\(line): \(run.errors)")
    }
    _ = consume lock
    _ = try store.refs.update(waiting: 0) { refs in
      refs.pending = refs["one"].map { PendingRestore(target: $0, before: $0, staging: "restore-0-0", position: nil) }
    }
    for line in lines { #expect(try CommandRun(bytes: line.map(\.bytes), in: folder.path).status == 0, "\(line)") }
    #expect(try folder.memento("diff").errors.hasPrefix("memento: a restore was interrupted"))
  }
}
