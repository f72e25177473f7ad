import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

/// `show`, `cat` and `ls`.
@Suite struct ContentCommandTests {
  private func saved() throws -> CommandFolder {
    let folder = try CommandFolder(files: "a", "b c")
    let tools = FolderTools(folder.path.bytes)
    try folder.write("sub/file", "text\n")
    try folder.write("sub/deep/er", "deep")
    try tools.makeLink("link".bytes, to: "sub/file".bytes)
    try tools.makeFifo("pipe".bytes)
    try tools.write([0xFF, 0x0A], "x".bytes)
    for name in ["a", "b c", "sub/file", "sub/deep/er", "sub/deep", "sub", "link", "pipe"] {
      try tools.setTime(name.bytes, 1_000_000_000, 7)
    }
    try folder.done("save", "one", "-m", "first\nmore")
    return folder
  }

  @Test func listings() throws {
    let folder = try saved()
    #expect(try folder.done("ls", "one").output == "a\nb c\nlink\npipe\nsub\n\\xff\\n\n")
    #expect(try folder.done("ls", "one:sub").output == "deep\nfile\n")
    #expect(try folder.done("ls", "one:").output == (try folder.done("ls", "one").output))
    #expect(try folder.done("ls", "one:sub/file").output == "file\n")
    #expect(try folder.done("ls", "-R", "one:sub").output == "deep\ndeep/er\nfile\n")
    let long = try folder.done("ls", "-lR", "one").output.split(separator: "\n")
    #expect(long.count == 9)
    #expect(long[0].hasPrefix("-rw-------  ") && long[0].hasSuffix("  2001-09-09 01:46:40 +0000  a"))
    #expect(long[2].hasPrefix("lrwxrwxrwx  ") && long[2].hasSuffix("  link -> sub/file"))
    #expect(long[3].hasPrefix("prw-r--r--  "))
    #expect(long[4].hasPrefix("drwxr-xr-x  ") && long[5].hasSuffix("  sub/deep"))
    #expect(Set(long.dropLast().map { $0.prefix { $0 != ":" }.count }).count == 1, "\(long)")
  }

  @Test func recordsOfListings() throws {
    let folder = try saved()
    let names = try folder.done("ls", "-z", "one").outputBytes.split(separator: 0).map { Array($0) }
    #expect(names == ["a".bytes, "b c".bytes, "link".bytes, "pipe".bytes, "sub".bytes, [0xFF, 0x0A]])
    let fields = try folder.done("ls", "-lz", "one:sub/file").outputBytes.split(separator: 9).map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(fields.count == 6)
    #expect(fields[0] == "100600" && fields[3] == "5" && fields[4] == "2001-09-09T01:46:40.000000007Z")
    #expect(fields[5] == "file\0")
  }

  @Test func documentsOfListings() throws {
    let folder = try saved()
    let document = try folder.document("ls", "-R", "one")
    #expect(document["snapshot"].breaches(of: Contract.snapshot) == [])
    let entries = document["entries"].list
    #expect(entries.count == 9)
    let byPath = Dictionary(uniqueKeysWithValues: entries.map { ($0["path"].text ?? "", $0) })
    #expect(byPath["sub/file"]?["size"] == .number(5))
    #expect(byPath["sub/file"]?["mode"] == .text("100600"))
    #expect(
      byPath["a"]?["sha256"] == .text("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"))
    #expect(byPath["link"]?["target"] == .text("sub/file"))
    #expect(byPath["pipe"]?["type"] == .text("fifo"))
    #expect(entries.last?["path_b64"] == .text("/wo="))
  }

  @Test func filesAreWrittenByteByByte() throws {
    let folder = try saved()
    let content = Content.random(700_000, seed: 9)
    try folder.directory.write("random", content)
    try folder.done("save", "two")
    #expect(try folder.done("cat", "two:random").outputBytes == content)
    #expect(try folder.done("show", "two:random").outputBytes == content)
    #expect(try folder.done("cat", "one:sub/file").output == "text\n")
    #expect(try CommandRun(bytes: ["cat".bytes, "one:".bytes + [0xFF, 0x0A]], in: folder.path).output == "x")
    try folder.done("save", "v", "--stdin", input: "value")
    #expect(try folder.done("cat", "v").output == "value")
    #expect(try folder.document("cat", "v")["content"] == .text("value"))
    // A colon with nothing after it, as completions leave it.
    #expect(try folder.done("cat", "v:").output == "value")
    #expect(try folder.document("cat", "v:")["content"] == .text("value"))
    let document = try folder.document("cat", "two:random")
    #expect(document["content_b64"] == .text(JSONText.base64(content)))
    #expect(document["entry"]["size"] == .number(700_000))
    #expect(try folder.document("show", "one:sub/file")["content"] == .text("text\n"))
  }

  @Test func pathsBeginAtTheFolderOrHere() throws {
    let folder = try saved()
    for path in ["sub/file", "./file", "../sub/file", "/sub/../sub//file"] {
      let place = path.hasPrefix("/") ? "one:\(folder.path)\(path)" : "one:\(path)"
      #expect(try folder.memento("cat", place, below: "sub").output == "text\n", "\(place)")
    }
    #expect(try folder.memento("ls", "one:.", below: "sub").output == "deep\nfile\n")
    #expect(try folder.memento("ls", "one:..", below: "sub").output.hasPrefix("a\n"))
    #expect(try folder.memento("cat", "one:file", below: "sub").status == 12)
    #expect(try folder.memento("cat", "one:../../x", below: "sub").status == 2)
    #expect(try folder.memento("cat", "@:a").output == "a")
    #expect(try folder.memento("cat", ":a").status == 2)
  }

  @Test(arguments: [
    ("cat", "one:none", 12, "\"one\" has no none"), ("ls", "one:none", 12, "\"one\" has no none"),
    ("show", "one:none/x", 12, "\"one\" has no none/x"), ("show", "none", 12, "there is no state"),
    ("cat", "none:a", 12, "there is no state"), ("cat", "one:a/b", 12, "\"one\" has no a/b"),
    ("cat", "one:link/x", 12, "\"one\" has no link/x"), ("cat", "one", 1, "\"one\" is a folder"),
    ("cat", "one:sub", 1, "sub is not a regular file"), ("cat", "one:link", 1, "link is not a regular file"),
    ("ls", "v", 1, "\"v\" is a single value"), ("show", "v:a", 1, "\"v\" is a single value"),
  ])
  func whatIsNotThere(_ command: String, _ place: String, _ status: Int32, _ message: String) throws {
    let folder = try saved()
    try folder.done("save", "v", "--stdin", input: "value")
    let run = try folder.memento(command, place)
    #expect(run.status == status)
    #expect(run.errors.hasPrefix("memento: \(message)"), "\(run.errors)")
    #expect(run.output.isEmpty)
    let document = try JSONValue(try folder.memento(command, place, "--json").errorBytes)
    #expect(document["code"] == .number(Int(status)))
  }

  @Test func aSnapshotIsShown() throws {
    let folder = try saved()
    let first = try folder.done("show", "one").output
    #expect(first.hasPrefix("snapshot \(try folder.fullID("one")) (* one)\ntime     2"))
    #expect(first.hasSuffix("\nfolder   5 files, 14 B\n\n    first\n    more\n"), "\(first)")
    try folder.write("a", "other")
    try folder.done("save")
    let second = try folder.done("show", "@").output
    #expect(second.contains("\nparent   \(try folder.id("one"))\n"))
    #expect(second.contains("\n\n a | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"), "\(second)")
    #expect(try folder.done("show", "@", "--patch").output.contains("\n-a\n"))
    #expect(try folder.done("show", "@", "--name-status").output.hasSuffix("\nM a\n"))
    let document = try folder.document("show", "@")
    #expect(document["snapshot"].breaches(of: Contract.snapshot) == [])
    #expect(document["changes"].list.map { $0["path"] } == [.text("a")])
    #expect(try folder.document("show", "one")["changes"] == .null)
    #expect(try folder.document("show", "one")["names"] == .list([.text("one")]))
    #expect(try folder.done("show", "one:sub").output == "deep\nfile\n")
    #expect(try folder.done("show", "one:link").output.hasSuffix("  link -> sub/file\n"))
    #expect(try folder.memento("show", "one:a", "--patch").status == 2)
  }

  @Test func onATerminalNothingIsObeyed() throws {
    let folder = try CommandFolder()
    try folder.write("evil", "a\u{1B}[2Jb\r\n\u{202E}x\n")
    try folder.directory.write("bytes", [0x9B, 0x41, 0x0A])
    try folder.directory.write("zeros", [0, 0x1B])
    try folder.done("init")
    let visible = ["a^[[2Jb^M\n<U+202E>x\n", "<9B>A\n"]
    let diff = try folder.memento("diff", "--no-pager", "--color", "never") { $0.isOutputTerminal = true }
    #expect(diff.output.contains("+a^[[2Jb^M\n+<U+202E>x\n") && diff.output.contains("+<9B>A\n"))
    try folder.done("save", "one")
    for (name, expected) in zip(["evil", "bytes"], visible) {
      let run = try folder.memento("show", "one:\(name)", "--no-pager") { $0.isOutputTerminal = true }
      #expect(run.output == expected)
      #expect(try folder.done("show", "one:\(name)").outputBytes == (try folder.directory.read(name)))
    }
    let zeros = try folder.memento("show", "one:zeros", "--no-pager") { $0.isOutputTerminal = true }
    #expect(zeros.output == "(2 B that are not text; `memento cat 'one:zeros'` writes them)\n")
  }
}

@Suite struct SnapshotPathArgumentTests {
  @Test(
    arguments: [
      ("one", "one", nil), ("one:", "one", ""), ("one:a:b", "one", "a:b"), ("@~1:x", "@~1", "x"),
      ("n@{2026-06-01 14:00}", "n@{2026-06-01 14:00}", nil), ("n@{2026-06-01 14:00}:a", "n@{2026-06-01 14:00}", "a"),
      ("@{14:00}:a{b:c", "@{14:00}", "a{b:c"), ("a{b:c", "a{b", "c"),
    ] as [(String, String, String?)])
  func isTakenApartAtTheFirstColon(_ text: String, _ revision: String, _ path: String?) throws {
    let place = try #require(SnapshotPathArgument(argument: text))
    #expect(place.revision.text == revision)
    #expect(try place.path(in: BytePath("/"), from: BytePath("/")) == path.map { BytePath($0) })
  }

  @Test func needsASnapshot() {
    #expect(SnapshotPathArgument(argument: ":a") == nil)
    #expect(SnapshotPathArgument(argument: "") == nil)
  }
}
