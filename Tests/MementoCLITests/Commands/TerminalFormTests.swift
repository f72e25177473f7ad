// What somebody at a terminal sees: ages, paths from where they stand, lines that fit, colours, and the path that was meant.

import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

struct TerminalFormTests {
  private func folder() throws -> CommandFolder {
    let folder = try CommandFolder(files: "top")
    try folder.write("src/main", "1")
    try folder.done("save", "one", "-m", String(repeating: "long ", count: 40))
    return folder
  }

  private func lines(_ folder: CommandFolder, _ words: String..., days: Int64 = 0) throws -> [String] {
    let run = try CommandRun(bytes: words.map(\.bytes), in: folder.path) {
      $0.isOutputTerminal = true
      $0.terminalWidth = 70
      let now = SnapshotTime.now
      $0.now = { SnapshotTime(seconds: now.seconds + 120 + days * 86_400, nanoseconds: 0) }
    }
    #expect(run.status == 0, "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func timesAreAgesForAMonth() throws {
    let folder = try folder()
    for words in ["list", "log"] {
      #expect(try lines(folder, words, "--no-pager")[0].contains("  2min ago  "), "\(words)")
      #expect(try lines(folder, words, "--no-pager", days: 29)[0].contains("  29d ago  "), "\(words)")
      let old = try lines(folder, words, "--no-pager", days: 31)[0]
      #expect(!old.contains("ago") && !old.contains("+0000"), "\(words): \(old)")
      #expect(try folder.done(words).output.contains(" +0000 "), "\(words)")
    }
    #expect(try folder.done("log").output.contains("@"))
    #expect(try !lines(folder, "log", "--no-pager")[0].contains("@"))
  }

  @Test func aListNeverWraps() throws {
    let shown = try lines(folder(), "list")
    #expect(shown.count == 1 && shown[0].count <= 70 && shown[0].hasSuffix("..."), "\(shown)")
  }

  @Test func aLongNameIsCutAsWell() throws {
    let folder = try folder()
    try folder.done("save", String(repeating: "name", count: 30))
    for line in try lines(folder, "list") { #expect(line.count <= 70, "\(line)") }
    #expect(try folder.done("list").output.contains(String(repeating: "name", count: 30)))
  }

  @Test func aHistoryNeverWraps() throws {
    let folder = try folder()
    for index in 1...9 { try folder.done("save", "--from", "one", "number-\(index)-of-the-names") }
    try folder.write("a-file-with-a-long-name-" + String(repeating: "x", count: 60), "1")
    try folder.done("save", String(repeating: "name", count: 30))
    try folder.done("undo")
    try folder.write("other", "1")
    try folder.done("save", "-m", String(repeating: "word", count: 40), "two")
    for words in [
      ["log"], ["log", "--stat"], ["log", "--oneline"], ["log", "--all", "--stat"], ["log", "--all", "--oneline"],
    ] {
      let run = try CommandRun(bytes: (words + ["--no-pager", "--color=never"]).map(\.bytes), in: folder.path) {
        $0.isOutputTerminal = true
        $0.terminalWidth = 70
      }
      let lines = run.output.split(separator: "\n")
      #expect(run.status == 0 && lines.count > 1, "\(words)")
      for line in lines { #expect(line.count <= 70, "\(words): \(line)") }
    }
    #expect(try lines(folder, "log", "--no-pager").contains { $0.contains(" (+") })
    // What is not cut in a line of its own is whole.
    let text = try lines(folder, "log", "--no-pager").joined().filter { $0 != " " }
    #expect(text.contains(String(repeating: "word", count: 40)))
    #expect(text.contains(String(repeating: "long", count: 40)))
  }

  @Test func pathsAreThoseOfWhereOneStands() throws {
    let folder = try folder()
    try folder.write("src/main", "2")
    try folder.write("src/new", "")
    try folder.write("other", "")
    let below = try folder.memento("status", below: "src")
    #expect(below.output.hasSuffix("\nA ../other\nM main\nA new\n"), "\(below.output)")
    #expect(try folder.memento("status", "-z", below: "src").outputBytes == "A other\0M src/main\0A src/new\0".bytes)
    #expect(try folder.done("status").output.hasSuffix("\nA other\nM src/main\nA src/new\n"))
    let colored = try folder.done("status", "--color", "always").output
    #expect(colored.contains("\u{1B}[32mA\u{1B}[0m other\n\u{1B}[33mM\u{1B}[0m src/main\n"), "\(colored)")
  }

  @Test func thePathThatWasMeantIsNamed() throws {
    let folder = try folder()
    for (path, meant) in [("tpo", "top"), ("src/mian", "src/main"), ("scr/main", "src/main")] {
      let run = try folder.memento("restore", "one", path)
      #expect(run.status == 12 && run.errors.hasSuffix("hint: did you mean \"\(meant)\"?\n"), "\(run.errors)")
      #expect(try folder.memento("cat", "one:\(path)").errors.contains("did you mean \"\(meant)\"?"))
    }
    for path in ["nothing", "scr/nothing", "top/main"] {
      #expect(try !folder.memento("restore", "one", path).errors.contains("did you mean"), "\(path)")
    }
  }

  @Test func anOptionIsNotTakenForAnotherOne() throws {
    let folder = try CommandFolder()
    #expect(try folder.memento("list", "--sotr", "time").errors.hasSuffix("hint: did you mean '--sort'?\n"))
    #expect(try folder.memento("restore", "one", "--yes").errors.hasSuffix("hint: see `memento restore --help`\n"))
  }

  @Test(arguments: [
    ("a/b", "", "a/b"), ("a/b", "a", "b"), ("a", "a", "."), ("a", "a/b", ".."), ("b/c", "a/d", "../../b/c"),
    ("ab", "a", "../ab"),
  ])
  func pathsAreRelative(_ path: String, _ place: String, _ expected: String) {
    #expect(RelativePath.of(BytePath(path), from: BytePath(place)) == BytePath(expected))
  }
}
