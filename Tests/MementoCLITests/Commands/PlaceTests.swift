import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a command works: `-C`, `--store`, `MEMENTO_STORE`, the home folder; and names of any bytes.
@Suite struct PlaceTests {
  @Test func commandsRunElsewhere() throws {
    let folder = try CommandFolder(files: "sub dir/a")
    #expect(try folder.memento("-C", "sub dir", "save", "one").status == 0)
    #expect(folder.directory.exists("sub dir/.memento"))
    #expect(try folder.memento("list", "-C", "sub dir").output.contains("one"))
    #expect(try folder.memento("-Csub dir", "list").output.contains("one"))
    #expect(try folder.memento("-C\(folder.path)/sub dir", "restore", "one", "a", "--stdout").output == "sub dir/a")
    #expect(try folder.memento("list").status == 10)
    let run = try folder.memento("-C", "sub dir/a", "list")
    #expect(run.status == 1)
    #expect(run.errors == "memento: cannot go to sub dir/a: Not a directory\n")
    #expect(try folder.memento("-C", "sub dir", "list", "-C", "..").status == 10)
    #expect(try folder.memento("-C", "/", "-C", "tmp/..", "-C", "\(folder.path)/sub dir", "list").status == 0)
    #expect(try folder.memento("-C", "sub dir", "-C", ".", "list", "-C", "../sub dir").output.contains("one"))
  }

  @Test func noStoreIsMadeInTheHomeFolder() throws {
    let folder = try CommandFolder(files: "a")
    let run = try folder.memento("save", "one", environment: ["HOME": folder.path])
    #expect(run.status == 1)
    #expect(
      run.errors
        == "memento: there is no store here, and save does not make one in the home folder\n"
        + "hint: run `memento init` if you want to save all of it\n")
    #expect(!folder.directory.exists(".memento"))
    #expect(try folder.memento("init", environment: ["HOME": folder.path]).status == 0)
    #expect(try folder.memento("save", "one", environment: ["HOME": folder.path]).status == 0)
  }

  @Test func theNearestStoreCounts() throws {
    let folder = try CommandFolder(files: "a", "inner/b", "inner/deep/c")
    try folder.done("save", "outer")
    try folder.done("init", "inner")
    #expect(try folder.memento("save", "x", below: "inner/deep").status == 0)
    #expect(try folder.memento("list", below: "inner").output.contains("  x  "))
    #expect(try !folder.done("list").output.contains("  x  "))
  }

  @Test func pathsMayBeAnyBytes() throws {
    let folder = try CommandFolder()
    let name: [UInt8] = [0x61, 0xFF, 0x0A, 0x62]
    try folder.directory.descriptor.open(name, .create).write("content".bytes)
    try folder.done("save", "one")
    let run = try CommandRun(bytes: ["restore".bytes, "one".bytes, name, "--stdout".bytes], in: folder.path)
    #expect(run.status == 0)
    #expect(run.output == "content")
    try folder.directory.descriptor.removeFile(name)
    let plan = try folder.document("restore", "one", "-n")["plan"].list
    #expect(plan.map { $0["path_b64"] } == [.text("Yf8KYg==")])
    #expect(plan.map { $0["path"] } == [.text("a\u{FFFD}\nb")])
    #expect(try folder.done("restore", "one", "-n").output.hasPrefix("create a\\xff\\nb\n"))
    #expect(try CommandRun(bytes: ["restore".bytes, "one".bytes, name], in: folder.path).status == 0)
    #expect(try folder.directory.descriptor.contents(of: name) == "content".bytes)
    let absent = try CommandRun(
      bytes: ["restore".bytes, "one".bytes, [0xFF, 0x1B], "--stdout".bytes], in: folder.path)
    #expect(absent.errors.hasPrefix("memento: \"one\" has no \u{FFFD}\\x1b\nhint: "))
  }

  @Test func aStoreMayBeAnyBytes() throws {
    let folder = try CommandFolder(files: "a")
    let name: [UInt8] = [0x73, 0xFE]
    try folder.directory.descriptor.makeDirectory(name)
    let made = try CommandRun(
      bytes: ["init".bytes, "--json".bytes, "--store".bytes, Array("\(folder.path)/".utf8) + name + "/m".bytes],
      in: folder.path)
    #expect(made.status == 0)
    #expect(try JSONValue(made.outputBytes)["store_b64"].text != nil)
    #expect(try CommandRun(bytes: ["-C".bytes, name, "save".bytes, "x".bytes], in: folder.path).status == 0)
  }

  @Test func terminalsSeeNoControlCharacters() throws {
    let folder = try CommandFolder(files: "a")
    try folder.write("\u{1B}[2Jx\u{7}\r\u{9B}\u{202E}", "x")
    try folder.done("save", "one", "-m", "m\u{1B}]0;title\u{7}\u{202E}\r")
    try folder.done("save", "empty", "--stdin")
    folder.remove("\u{1B}[2Jx\u{7}\r\u{9B}\u{202E}")
    let runs = [
      try folder.done("list"), try folder.done("log"), try folder.done("restore", "one", "-n"),
      try folder.memento("restore", "x\u{1B}[1m"), try folder.memento("delete", "\u{1B}c"),
      try folder.memento("restore", "one", "\u{1B}[5m", "--stdout"), try folder.memento("-C", "\u{1B}c", "list"),
      try folder.memento("list", "\u{1B}*"), try folder.memento("\u{1B}c"), try folder.memento("list", "--\u{1B}c"),
    ]
    for run in runs {
      for bytes in [run.output, run.errors] {
        #expect(
          bytes.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x9B) })
        #expect(!bytes.unicodeScalars.contains("\u{202E}"))
      }
    }
    #expect(runs[0].output.contains("m\\x1b]0;title\\x07\\u{202e}"))
    #expect(runs[2].output.hasPrefix("create \\x1b[2Jx\\x07\\r\\u{9b}\\u{202e}\n"))
  }

  @Test func quietAndVerbose() throws {
    let folder = try CommandFolder(files: "a")
    let first = try folder.memento("save", "one", "--quiet")
    #expect(first.status == 0)
    #expect(first.outputBytes.isEmpty && first.errorBytes.isEmpty)
    #expect(try folder.done("-q", "restore", "one").outputBytes.isEmpty)
    #expect(try folder.done("verify", "-q").outputBytes.isEmpty)
    #expect(try folder.done("restore", "one", "a", "--stdout", "-q").output == "a")
    let verbose = try folder.done("--verbose", "save", "two")
    #expect(verbose.errors == "memento: folder \(folder.path), store \(folder.path)/.memento\n")
    #expect(verbose.output.contains(try folder.fullID("two")))
    #expect(try folder.done("log", "-v").output.contains(try folder.fullID("one")))
    #expect(try folder.memento("restore", "nothing", "-q").errors.hasPrefix("memento: there is no state"))
  }

  @Test func colourIsOnRequest() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    #expect(try !folder.done("list").output.contains("\u{1B}"))
    #expect(try folder.done("list", "--color", "always").output.contains("\u{1B}["))
    #expect(try folder.done("log", "--color=always").output.contains("\u{1B}["))
    let terminal = try folder.memento("list", environment: ["TERM": "xterm"]) { $0.isOutputTerminal = true }
    #expect(terminal.output.contains("\u{1B}["))
    for environment in [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"], [:]] {
      let plain = try folder.memento("list", environment: environment) { $0.isOutputTerminal = true }
      #expect(!plain.output.contains("\u{1B}"), "\(environment)")
    }
    let never = try folder.memento("list", "--color", "never", environment: ["TERM": "xterm"]) {
      $0.isOutputTerminal = true
    }
    #expect(!never.output.contains("\u{1B}"))
  }
}
