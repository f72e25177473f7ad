import TestSupport
import Testing

/// The paths of snapshots that the completions offer, in each shell that they support.
@Suite(.needsProgram) struct CompletionPathTests {
  typealias Kind = CompletingShell.Kind

  private let shell: Shell

  init() throws {
    shell = try Shell()
    let run = try shell.run(
      #"""
      mkdir -p 'sub dir/deep' src; echo inside >'sub dir/deep/x y'; echo >src/main.c; echo >src/gone.c; ln -s src link
      echo said-1 >"it's"; echo said-2 >'$(touch hacked)'; echo said-3 >a:b; echo said-4 >'say "hi"'; echo said-5 >żółw
      echo said-6 >'back\slash'; echo said-7 >'wow!'; echo said-8 >$'two\nlines'; echo said-9 >lost; echo >kind
      memento save one -q; memento save 'two words' -q; echo value | memento save v --stdin -q
      rm lost kind src/gone.c; mkdir kind; echo fresh >fresh
      """#)
    try #require(run.status == 0, "\(run.errors)")
  }

  private func tab(_ kind: Kind) throws -> CompletingShell? {
    kind.isMissing ? nil : try CompletingShell(kind, in: shell.path)
  }

  @Test(arguments: Kind.allCases)
  func folderByFolder(_ kind: Kind) throws {
    guard let tab = try tab(kind) else { return }
    for command in ["cat", "ls", "show"] {
      let start = "memento \(command) "
      #expect(try tab.line(after: start + "one:su") == start + "one:sub\\ dir/")
      #expect(try tab.line(after: start + "one:sub\\ dir/") == start + "one:sub\\ dir/deep/")
      #expect(try tab.line(after: start + "one:sub\\ dir/deep/") == start + "one:sub\\ dir/deep/x\\ y ")
      #expect(try tab.line(after: start + "two\\ words:sr") == start + "two\\ words:src/")
      // The command takes one path, so no second one is offered.
      #expect(try tab.line(after: start + "one:src one:sr") == start + "one:src one:sr")
    }
    #expect(try tab.line(after: "memento cat one:li") == "memento cat one:link ")
    let all = try tab.offered(after: "memento ls one:")
    for name in ["sub dir/", "src/", "lost", "a:b", "żółw"] { #expect(all.contains(name), "\(name): \(all)") }
    #expect(!all.contains("fresh") && !all.contains("2026"), "\(all)")
    #expect(try tab.offered(after: "memento ls one:src/").contains("main.c"))
  }

  @Test(arguments: Kind.allCases)
  func aPathFollowsANameAfterCat(_ kind: Kind) throws {
    guard let tab = try tab(kind) else { return }
    #expect(try tab.line(after: "memento cat on") == "memento cat one:")
    #expect(try tab.line(after: "memento cat tw") == "memento cat two\\ words:")
    #expect(try tab.line(after: "memento ls on") == "memento ls one ")
    #expect(try tab.line(after: "memento show on") == "memento show one ")
    #expect(try tab.output(after: "memento cat v").contains("value\n"))
  }

  /// Runs the completed line: only the right word prints the content of the file.
  @Test(arguments: Kind.allCases)
  func whatIsInsertedNamesTheFile(_ kind: Kind) throws {
    guard let tab = try tab(kind) else { return }
    var lines = [
      ("one:it", 1), ("'one:it", 1), ("\"one:it", 1), ("one:\\$", 2), ("'one:$", 2), ("one:a", 3), ("one:a:", 3),
      ("'one:a:", 3), ("one:sa", 4), ("'one:sa", 4), ("\"one:sa", 4), ("one:ż", 5), ("one:b", 6), ("'one:b", 6),
      ("\"one:b", 6), ("one:wo", 7), ("'one:wo", 7), ("one:lo", 9), ("'two words':lo", 9), ("two' words:'lo", 9),
    ]
    // In double quotes, fish and zsh complete a dollar as a variable, and zsh cannot write an exclamation mark. fish
    // cannot offer names with two lines.
    if kind == .bash || kind == .bashCompletion { lines += [("\"one:\\$", 2), ("\"one:wo", 7)] }
    if kind != .fish { lines += [("one:tw", 8), ("'one:tw", 8)] }
    for (word, number) in lines {
      let output = try tab.output(after: "memento cat \(word)")
      #expect(output.contains("said-\(number)\n"), "\(kind) \(word): \(output)")
    }
    #expect(!shell.directory.exists("hacked"))
  }

  @Test(arguments: Kind.allCases)
  func snapshotsByAnyName(_ kind: Kind) throws {
    guard let tab = try tab(kind) else { return }
    let id = try shell.done("list", "-z").output.split(separator: "\t")[2].prefix(12)
    for name in ["@~1", "one~0", "@{2099-01-01}", "'@{2099-01-01 10:00}'", "@{2099-01-01\\ 10:00}", String(id)] {
      #expect(try tab.offered(after: "memento ls \(name):sub\\ dir/").contains("deep/"), "\(kind) \(name)")
    }
    #expect(try tab.line(after: "memento ls @{2099-01-01\\ 10:00}:sr") == "memento ls @{2099-01-01\\ 10:00}:src/")
    let quoted = "memento ls '@{2099-01-01 10:00}:sr"
    #expect(try tab.line(after: quoted).hasPrefix(quoted + "c/"), "\(kind)")
  }

  @Test(arguments: Kind.allCases)
  func whatToRestore(_ kind: Kind) throws {
    guard let tab = try tab(kind) else { return }
    // Each is offered once: a path that is gone, a path that is new, a path in both, and a file that is a folder now.
    let all = try tab.offered(after: "memento restore one ")
    for name in ["lost", "fresh", "kind", "src/", "sub dir/", "a:b", "żółw"] {
      #expect(all.ranges(of: name).count == 1, "\(kind) \(name): \(all)")
    }
    #expect(!all.contains(".memento") && !all.contains("link/"), "\(all)")
    let start = "memento restore one "
    for (typed, line) in [
      ("lo", "lost "), ("./lo", "./lost "), ("-- lo", "-- lost "), ("fre", "fresh "), ("su", "sub\\ dir/"),
      ("sub\\ dir/deep/", "sub\\ dir/deep/x\\ y "), ("\(shell.path)/lo", "\(shell.path)/lost "),
      ("lost sr", "lost src/"),
    ] {
      #expect(try tab.line(after: start + typed) == start + line, "\(kind) \(typed)")
    }
    // These forms of restore remove nothing, so new files are not offered.
    for option in ["--to /tmp/new", "--to=/tmp/new", "--stdout"] {
      #expect(try tab.line(after: "memento restore \(option) one lo") == "memento restore \(option) one lost ")
      #expect(try tab.line(after: "memento restore one \(option) fre") == "memento restore one \(option) fre")
    }
    // When the snapshot does not exist, only the files of the folder are offered.
    #expect(try tab.line(after: "memento restore none lo") == "memento restore none lo")
    #expect(try tab.line(after: "memento restore none fre") == "memento restore none fresh ")
  }

  @Test(arguments: Kind.allCases)
  func fromElsewhere(_ kind: Kind) throws {
    if kind.isMissing { return }
    let elsewhere = try TemporaryDirectory()
    let tab = try CompletingShell(kind, in: elsewhere.path)
    let path = shell.path
    for (typed, added) in [
      ("memento -C \(path) cat one:lo", "st "), ("memento -C \(path)/src cat one:./ma", "in.c "),
      ("memento -C \(path)/src cat one:../lo", "st "), ("memento -C \(path)/src cat one:sr", "c/"),
      ("memento -C '\(path)/sub dir' cat one:./de", "ep/"), ("memento --store=\(path)/.memento ls one:lo", "st "),
      ("memento --store \(path)/.memento ls one:src/m", "ain.c "), ("memento -C \(path) restore one lo", "st "),
      ("memento -C \(path)/src restore one ma", "in.c "), ("memento -C\(path)/src restore one ../lo", "st "),
      ("memento -C \(path)/src restore one go", "ne.c "),
      ("memento -C '\(path)/sub dir' restore one deep/", "x\\ y "), ("memento -C \(path) restore one fre", "sh "),
      ("memento -C \(path) restore --exclude x one lo", "st "),
    ] {
      #expect(try tab.line(after: typed) == typed + added, "\(kind) \(typed)")
    }
  }

  /// Nothing is offered and nothing is printed.
  @Test(arguments: Kind.allCases)
  func whatIsNotThere(_ kind: Kind) throws {
    guard let tab = try tab(kind) else { return }
    for typed in [
      "none:", "none:s", ":", ":s", "v:", "one:none/", "one:../", "one:src/../../", "one:zz", "one~9:", "'@{10:00}:",
      "one@{nonsense}:", "'$(touch hacked):", "'`touch hacked`:s",
    ] {
      let line = "memento cat \(typed)"
      #expect(try tab.line(after: line) == line, "\(kind)")
    }
    let nothing = try TemporaryDirectory()
    #expect(try tab.line(after: "memento -C \(nothing.path) ls one:") == "memento -C \(nothing.path) ls one:")
    #expect(try nothing.names() == [])
    #expect(!shell.directory.exists("hacked"))
  }

  /// The completions must not run the folder name after -C either.
  @Test(arguments: Kind.allCases)
  func nothingOfALineIsRun(_ kind: Kind) throws {
    guard let tab = try tab(kind) else { return }
    let run = try shell.run("mkdir '$(touch hacked)x' && cd '$(touch hacked)x' && echo a >file && memento save one -q")
    try #require(run.status == 0, "\(run.errors)")
    #expect(try tab.offered(after: "memento -C '$(touch hacked)x' cat ").contains("one"), "\(kind)")
    let typed = "memento -C '$(touch hacked)x' cat one:./fi"
    #expect(try tab.line(after: typed) == typed + "le ", "\(kind)")
    #expect(!shell.directory.exists("hacked"))
  }

  /// Tab runs the program once, in a way that changes nothing and waits for no other process.
  @Test(arguments: Kind.allCases)
  func aTabAsksOnce(_ kind: Kind) throws {
    if kind.isMissing { return }
    let programs = try TemporaryDirectory()
    try programs.write(
      "memento",
      "#!/bin/sh\necho \"$*\" >>'\(programs.path)/asked'\nexec '\(Machine.program)' \"$@\"\n".bytes)
    try FolderTools(programs.path.bytes).setMode("memento".bytes, 0o755)
    let tab = try CompletingShell(kind, in: shell.path, program: programs.path + "/memento")
    // The others also offer what does not begin with the typed text.
    let states = "list -z --cached --wait 0" + ([.bash, .bashCompletion].contains(kind) ? " on*" : "")
    for (typed, question) in [
      ("memento cat one:sub\\ dir/de", "ls -lz --wait 0 -- one:sub dir/"), ("memento cat on", states),
      ("memento restore one sr", "ls -lz --wait 0 -- one:./"), ("memento restore on", states),
      ("memento restore ", "list -z --cached --wait 0"),
    ] {
      try programs.write("asked", [])
      _ = try tab.line(after: typed)
      #expect(try String(decoding: programs.read("asked"), as: UTF8.self) == question + "\n", "\(kind) \(typed)")
    }
  }
}
