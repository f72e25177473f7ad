import Testing

@testable import MementoCLI

/// What is left out, as it is asked for and told on the command line.
@Suite struct IgnoreCommandTests {
  let folder: CommandFolder

  init() throws {
    folder = try CommandFolder(files: "a.c", "a.o", "src/b.o", "src/keep.o", "build/x")
    try folder.write(".mementoignore", "*.o\n/build/\n")
    try folder.write("src/.mementoignore", "# but\n!keep.o\n")
    try folder.done("save", "one")
  }

  @Test func namesTheRuleAndItsFile() throws {
    let run = try folder.memento(
      "check-ignore", "-v", "a.o", "src/keep.o", "build/x", "a.c", "build", "none/", "none.o")
    #expect(run.status == 0)
    #expect(
      run.output == """
        .mementoignore:1:*.o\ta.o
        src/.mementoignore:2:!keep.o\tsrc/keep.o
        .mementoignore:2:/build/\tbuild/x
        .mementoignore:2:/build/\tbuild
        .mementoignore:1:*.o\tnone.o

        """)
    #expect(run.errors.isEmpty)
  }

  @Test func withoutVerboseOnlyWhatIsIgnored() throws {
    let run = try folder.memento("check-ignore", "a.o", "src/keep.o", "a.c")
    #expect(run.status == 0)
    #expect(run.output == "a.o\n")
    for arguments in [["a.c"], ["src/keep.o", "."]] {
      let none = try folder.memento("check-ignore", arguments[0], arguments.count > 1 ? arguments[1] : "a.c", "-v")
      #expect(none.status == 1)
    }
    #expect(try folder.memento("check-ignore").status == 2)
    #expect(try folder.memento("check-ignore", "/elsewhere").status == 2)
  }

  @Test func pathsAreThoseOfTheCurrentFolder() throws {
    let run = try folder.memento("check-ignore", "-v", "b.o", "../a.o", below: "src")
    #expect(run.output == ".mementoignore:1:*.o\tb.o\n.mementoignore:1:*.o\t../a.o\n")
  }

  @Test func recordsEscapeNothing() throws {
    try folder.write(".mementoignore", "a\u{1}*\n")
    let path = "a\u{1}\nb"
    #expect(
      try folder.memento("check-ignore", "-z", "-v", path).output == ".mementoignore\u{0}1\u{0}a\u{1}*\u{0}\(path)\u{0}"
    )
    #expect(try folder.memento("check-ignore", "-z", path).output == "\(path)\u{0}")
    #expect(try folder.memento("check-ignore", "-v", path).output == ".mementoignore:1:a\\x01*\ta\\x01\\nb\n")
  }

  @Test func theDocumentHasAllPaths() throws {
    let document = try folder.document("check-ignore", "a.o", "src/keep.o", "a.c")
    let paths = document["paths"].list
    #expect(paths.map { $0["ignored"] } == [.bool(true), .bool(false), .bool(false)])
    #expect(paths[1]["rule"]["pattern"].text == "!keep.o")
    #expect(paths[1]["rule"]["line"].number == 2)
    #expect(paths[2]["rule"] == .null)
  }

  @Test func optionsAndConfigAreRulesToo() throws {
    let config = try folder.read(".memento/config")
    try folder.write(".memento/config", config + "ignore = *.c\n")
    let line = config.split(separator: "\n").count + 1
    try folder.write("large", String(repeating: "x", count: 2000))
    try folder.write("patterns", "# none\nkeep.o\n")
    try folder.write("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
    let run = try folder.memento(
      "check-ignore", "-v", "a.c", "src/keep.o", "large", "cache/x", "cache/CACHEDIR.TAG", "a.o", "--exclude-from",
      "patterns",
      "--exclude", "x", "--exclude", "!a.o", "--exclude-larger-than", "1k", "--exclude-caches")
    #expect(
      run.output == """
        .memento/config:\(line):*.c\ta.c
        patterns:2:keep.o\tsrc/keep.o
        --exclude-larger-than:1:1024\tlarge
        cache/CACHEDIR.TAG:1:--exclude-caches\tcache/x
        --exclude:2:!a.o\ta.o

        """)
  }

  @Test func aSaveLeavesOutWhatItIsTold() throws {
    try folder.write("patterns", "a.c\n")
    let saved = try folder.document("save", "two", "--exclude", "src", "--exclude-from", "patterns")
    // patterns itself came, a.c and two files of src went.
    #expect(saved["added"].number == 1)
    #expect(saved["removed"].number == 3)
    #expect(try folder.done("status").output.hasSuffix("nothing changed\n"))
    #expect(try folder.memento("status", "--exclude", "patterns").status == 0)
    let restored = try folder.document("restore", "two")
    #expect(restored["removed"].number == 0)
    #expect(try folder.read("a.c") == "a.c")
  }

  @Test func whatCannotBeReadIsAnError() throws {
    let refs = try folder.read(".memento/refs")
    let run = try folder.memento("save", "two", "--exclude-from", "none")
    #expect(run.status == 1)
    #expect(run.errors == "memento: cannot read none: No such file or directory\n")
    #expect(try folder.read(".memento/refs") == refs)
    #expect(try folder.memento("save", "two", "--exclude-larger-than", "much").status == 2)
    #expect(try folder.memento("save", "two", "--from", "one", "--exclude", "x").status == 2)
    #expect(try folder.memento("restore", "one", "--to", "x", "--exclude", "x").status == 2)
  }

  @Test func statusSaysNothingOfWhatIsIgnored() throws {
    try folder.write("b.o", "b")
    try folder.write(".mementoignore", "*.o\n/build/\na.c\n")
    #expect(try folder.done("status", "-z").output == "M .mementoignore\u{0}")
  }

  @Test func protectedPathsAreNoted() throws {
    try folder.write(".memento/config", try folder.read(".memento/config") + "protect = a.c\n")
    try folder.write("a.c", "live")
    for option in ["--dry-run", "--no-sync"] {
      let run = try folder.memento("restore", "one", option)
      #expect(run.status == 0)
      #expect(run.errors == "memento: note: a.c: not overwritten: it is protected\n")
      #expect(try folder.read("a.c") == "live")
    }
    #expect(try folder.document("restore", "one")["problems"].list.map { $0["note"] } == [.bool(true)])
  }
}
