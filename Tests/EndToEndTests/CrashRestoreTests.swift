import TestSupport
import Testing

/// A restore is killed before any of its calls that write. It can then be finished or aborted, both exactly. The same
/// holds for a recovery that is killed itself.
@Suite(.needsProgram, .needsStrace) struct CrashRestoreTests {
  private let restore = ["restore", "one", "-q"]

  /// Makes two states, and changes that no state has.
  private func busyFolder() throws -> CrashFolder {
    try CrashFolder([
      (CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two"), ("echo precious > a; echo extra > d/extra", nil),
    ])
  }

  @Test(arguments: [0, 1])
  func aRestore(_ half: Int) throws {
    let folder = try busyFolder()
    let target = try #require(folder.states["one"])
    var pending = 0
    let calls = try folder.calls(of: restore)
    for (number, call) in Injection.sample(calls, atMost: 40, seed: 11).enumerated() where number % 2 == half {
      let when = "restore killed at \(call)"
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(restore, at: call)
      try expectWholeFiles(copy, from: folder.record, to: target, when)
      if try expectRecoverable(copy, before: folder.record, target: target, when) { pending += 1 }
      try copy.remove()
    }
    #expect(pending > 5, "most of a restore is recoverable: too few of the kills came there")
  }

  @Test(arguments: ["--continue", "--abort"])
  func aRecovery(_ direction: String) throws {
    let folder = try busyFolder()
    let target = try #require(folder.states["one"])
    let interrupted = try folder.copy("interrupted")
    // The restore is killed while it puts files in place.
    let exchanges = try folder.calls(of: restore).filter { $0.name.hasPrefix("renameat") }
    try interrupted.kill(restore, at: #require(exchanges.dropFirst(exchanges.count / 2).first))
    try #require(try interrupted.memento("save", "-n").status == 14)
    let arguments = ["restore", direction, "-q"]
    let calls = try folder.calls(of: arguments, in: "interrupted")
    for (number, call) in Injection.sample(calls, atMost: 10, seed: 12).enumerated() {
      let when = "\(direction) killed at \(call)"
      let copy = try folder.copy("crash\(direction)-\(number)", of: "interrupted")
      try copy.kill(arguments, at: call)
      try expectWholeFiles(copy, from: folder.record, to: target, when)
      _ = try expectRecoverable(copy, before: folder.record, target: target, when)
      try copy.remove()
    }
  }

  /// An undo with unsaved changes, and the redo afterwards.
  @Test(arguments: ["undo", "redo"])
  func aMove(_ command: String) throws {
    let folder = try CrashFolder([
      (CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two"),
      command == "undo" ? ("echo precious > a; rm -r new; echo extra > d/extra", nil) : ("memento undo -q", nil),
    ])
    let target = try #require(folder.states["two"])
    let move = [command, "-q"]
    let back = command == "undo" ? "redo" : "undo"
    var pending = 0
    let calls = try folder.calls(of: move)
    for (number, call) in Injection.sample(calls, atMost: 8, seed: command == "undo" ? 13 : 14).enumerated() {
      let when = "\(command) killed at \(call)"
      let copy = try folder.copy("crash-\(command)-\(number)")
      try copy.kill(move, at: call)
      try expectWholeFiles(copy, from: folder.record, to: target, when)
      let isPending = try expectRecoverable(copy, before: folder.record, target: target, when) { other, direction in
        // After each recovery, undo or redo leads to the other end.
        let isThere = direction == "--continue"
        let run = try other.memento(isThere ? back : command, "-q")
        #expect(run.status == 0, "\(when), \(direction), then the other way: \(run.errors)")
        let expected = isThere ? folder.record : target
        #expect(try other.record().differences(from: expected) == [], "\(when), \(direction), then the other way")
      }
      if isPending { pending += 1 }
      try copy.remove()
    }
    #expect(pending > 1, "too few of the kills came into the middle")
  }

  /// Recoveries are killed again and again, in both directions.
  @Test func recoveriesOfRecoveries() throws {
    let folder = try busyFolder()
    let target = try #require(folder.states["one"])
    var generator = SplitMix64(seed: 15)
    let calls = try folder.calls(of: restore)
    // renameat2 is called only after the mark. Packs and refs get their names with renameat.
    let exchanges = calls.filter { $0.name == "renameat2" }
    let names = ["renameat2", "renameat", "unlinkat", "mkdirat", "linkat", "fsync", "syncfs", "write", "utimensat"]
    for chain in 0..<8 {
      let copy = try folder.copy("chain-\(chain)")
      try copy.kill(restore, at: #require(exchanges.dropFirst().randomElement(using: &generator)))
      var when = "restore killed"
      var isPending = true
      for _ in 0..<4 where isPending {
        let direction = Bool.random(using: &generator) ? "--continue" : "--abort"
        let name = try #require(names.randomElement(using: &generator))
        let number = Int.random(in: 1...8, using: &generator)
        let run = try Injection.run(
          ["restore", direction, "-q"], in: copy.path, inject: "?\(name):signal=KILL:when=\(number)")
        when += ", \(direction) at \(name) \(number): \(run.status)"
        #expect(run.status == 137 || run.status == 0, "\(when): \(run.errors)")
        try expectWholeFiles(copy, from: folder.record, to: target, when)
        isPending = try copy.memento("save", "-n").status == 14
      }
      if isPending {
        let direction = Bool.random(using: &generator) ? "--continue" : "--abort"
        #expect(try copy.memento("restore", direction, "-q").status == 0, "\(when), \(direction)")
        let expected = direction == "--continue" ? target : folder.record
        #expect(try copy.record().differences(from: expected) == [], "\(when), \(direction)")
      } else {
        let now = try copy.record()
        #expect(now == folder.record || now == target, "\(when)")
      }
      try copy.expectStates(folder.states, when)
      try copy.expectNextSave(when)
      try copy.remove()
    }
  }

  /// The folders that lead to the path are made again, with their metadata.
  @Test func aRestoreOfAPathInAFolderThatIsGone() throws {
    let folder = try CrashFolder([
      ("mkdir -p gone/deep; echo f > gone/deep/f; chmod 711 gone/deep; touch -d 2001-02-03 gone/deep gone", "one"),
      ("rm -r gone; echo a > a", "two"), ("echo b > b", nil),
    ])
    try expectRecoverable(folder, ["gone/deep/f"])
  }

  /// The folder around a path gets its time back, into which the restore has put a file.
  @Test func aRestoreOfAPathBesideOthers() throws {
    let folder = try CrashFolder([
      ("mkdir -p d/in; echo 1 > d/in/f; echo 1 > d/f; echo 1 > f; touch -d 2001-02-03 d/in d", "one"),
      ("echo two > d/in/f; echo two > d/f; echo two > f; echo stays > d/stays; touch -d 2002-02-03 d", "two"),
      ("echo b > b", nil),
    ])
    try expectRecoverable(folder, ["d/in/f", "d/f", "f"])
  }

  /// A restore of these paths is killed, and then finished or aborted.
  private func expectRecoverable(_ folder: CrashFolder, _ paths: [String]) throws {
    let arguments = ["restore", "one", "-q", "--"] + paths
    let trial = try folder.copy("trial")
    let run = try Launch([Machine.program] + arguments, in: trial.path)
    #expect(run.status == 0, "\(run.errors)")
    let target = try trial.record()
    let calls = try Injection.calls(Injection.mutating, of: arguments, in: folder.copy("traced").path)
    var pending = 0
    for (number, call) in Injection.sample(calls, atMost: 24, seed: 47).enumerated() {
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(arguments, at: call)
      let when = "restore of paths killed at \(call)"
      if try expectRecoverable(copy, before: folder.record, target: target, when) { pending += 1 }
      try copy.remove()
    }
    #expect(pending > 3)
  }

  /// The next save removes what a killed restore has left in tmp/, and may be killed while it does so.
  @Test(arguments: ["before", "after"])
  func debris(_ side: String) throws {
    let folder = try busyFolder()
    let littered = try folder.copy("littered")
    let calls = try folder.calls(of: restore)
    // Before the mark, when all is staged; or after the commit, when all is replaced.
    let removals = calls.filter { $0.name == "unlinkat" }
    let kill = side == "before" ? calls.first { $0.name == "syncfs" } : removals.dropLast(3).last
    try littered.kill(restore, at: #require(kill))
    let leftovers = try littered.leftovers
    #expect(leftovers.contains { $0.hasPrefix("restore-") }, "\(leftovers)")
    let record = try littered.record()
    let save = ["save", "next", "-q"]
    let sweeps = try folder.calls(of: save, in: "littered").filter { $0.name == "unlinkat" }
    #expect(!sweeps.isEmpty)
    for (number, call) in Injection.sample(sweeps, atMost: 5, seed: 16).enumerated() {
      let copy = try folder.copy("swept-\(number)", of: "littered")
      try copy.kill(save, at: call)
      #expect(try copy.record().differences(from: record) == [])
      try copy.expectStates(folder.states, others: ["next": record], "a save killed while it swept")
      try copy.expectNextSave("a save killed while it swept, at \(call)")
      try copy.remove()
    }
  }

  @Test func everyCommandSaysWhatWaits() throws {
    let shell = try Shell()
    for name in ["a", "b", "c"] { try shell.directory.write(name, "one \(name)".bytes) }
    try shell.done("save", "one", "-q")
    for name in ["a", "b", "c"] { try shell.directory.write(name, "another \(name)".bytes) }
    try shell.done("save", "two", "-q")
    try shell.interruptRestore(of: "one")
    let before = try shell.record()
    let refs = try shell.directory.read(".memento/refs")
    for command in [
      "save", "save x", "save x -n", "save x --from two", "save v --stdin", "save v --stdin-from -- echo x",
      "restore one", "restore two", "restore @~1", "restore one a", "restore one --discard", "restore one -n", "undo",
      "undo -n", "revert one..two", "redo", "gc", "gc -n", "delete one", "run -- touch ran",
    ] {
      let run = try shell.run("memento \(command) </dev/null")
      // `run` needs a status of its own, which cannot be that of its command.
      #expect(run.status == (command.hasPrefix("run ") ? 125 : 14), "\(command): \(run.status) \(run.errors)")
      #expect(
        run.errors
          == "memento: a restore was interrupted\n"
          + "hint: finish it with `memento restore --continue`, or take it back with `memento restore --abort`\n",
        "\(command)")
      #expect(run.output.isEmpty)
    }
    for command in [
      "list", "list -z", "log", "log one", "status", "verify", "verify --read-data", "restore one a --stdout",
      "restore one --to ../\(shell.path.split(separator: "/").last ?? "")-copy", "list --json", "log --json",
    ] {
      let run = try shell.run("memento \(command)")
      #expect(run.status == 0, "\(command): \(run.status) \(run.errors)")
    }
    #expect(try shell.done("status").errors.contains("a restore was interrupted"))
    _ = try Launch(["rm", "-rf", "\(shell.path)-copy"])
    #expect(try shell.record().differences(from: before) == [])
    #expect(try shell.directory.read(".memento/refs") == refs)
    try shell.done("restore", "--abort", "-q")
    try shell.done("undo", "-q")
  }

  /// Another program writes into the folder after it was saved and before the restore puts files in place.
  @Test func whatIsWrittenMeanwhileIsKept() throws {
    let shell = try Shell()
    for name in ["a", "b", "gone", "made"] { try shell.directory.write(name, "one \(name)".bytes) }
    try shell.done("save", "one", "-q")
    for name in ["a", "b"] { try shell.directory.write(name, "another \(name)".bytes) }
    let run = try shell.run(
      """
      rm made; rm gone; echo extra > extra; memento save two -q
      strace -f -qq -o /dev/null -e inject=renameat,?renameat2:delay_exit=300000 "$PROGRAM" restore one &
      until grep -q '^pending ' .memento/refs; do sleep 0.005; done
      echo 'precious a' > a; echo 'precious extra' > extra; echo 'precious made' > made
      wait $!; echo "=$?"; cat a b gone made; echo; ls; cat .memento/rescue/* | sort
      """)
    #expect(
      run.output.hasSuffix(
        "one aone bone goneone made\na\nb\ngone\nmade\nprecious a\nprecious extra\nprecious made\n"),
      "\(run.output)\(run.errors)")
    #expect(run.output.contains("\n=0\n"), "\(run.output)")
    for name in ["a", "extra", "made"] {
      #expect(run.errors.contains("memento: \(shell.path)/.memento/rescue/"), "\(run.errors)")
      #expect(run.errors.contains("memento: note: \(name): changed while it was being restored"), "\(run.errors)")
    }
    try shell.done("save", "three", "-q")
    try shell.done("gc", "-q")
    #expect(try shell.run("cat .memento/rescue/* | wc -l").output == "3\n")
  }

  /// Checks that every file is the old one or the new one, never a mixture.
  private func expectWholeFiles(
    _ copy: CrashCopy, from before: FolderRecord, to target: FolderRecord, _ when: String
  ) throws {
    for (path, entry) in try copy.record().entries where entry.mode & 0o170000 != 0o040000 {
      let known = [before.entries[path], target.entries[path]].compactMap { $0 }
      #expect(known.contains { $0.content == entry.content }, "\(when): \(path) is a mixture")
    }
  }

  /// Whether the restore is pending. If so, checks that both recoveries lead exactly to their targets.
  private func expectRecoverable(
    _ copy: CrashCopy, before: FolderRecord, target: FolderRecord, _ when: String,
    then check: (CrashCopy, _ direction: String) throws -> Void = { _, _ in }
  ) throws -> Bool {
    let states = copy.folder.states
    let plan = try copy.memento("save", "-n")
    if plan.status == 0 {
      let now = try copy.record()
      #expect(
        now == before || now == target, "\(when): \(now.differences(from: before)) \(now.differences(from: target))")
      try copy.expectStates(states, when)
      try copy.expectNextSave(when)
      return false
    }
    #expect(plan.status == 14, "\(when): \(plan.errors)")
    #expect(
      plan.errors
        == "memento: a restore was interrupted\n"
        + "hint: finish it with `memento restore --continue`, or take it back with `memento restore --abort`\n")
    for arguments in [["save", "x"], ["restore", "two"], ["gc"], ["delete", "one"], ["save", "x", "--from", "one"]] {
      #expect(try Launch([Machine.program] + arguments, in: copy.path).status == 14, "\(when): \(arguments)")
    }
    for (direction, expected) in [("--continue", target), ("--abort", before)] {
      let other = try copy.folder.copy(copy.name + direction, of: copy.name)
      let run = try other.memento("restore", direction, "-q")
      #expect(run.status == 0, "\(when), \(direction): \(run.errors)")
      #expect(try other.record().differences(from: expected) == [], "\(when), \(direction)")
      #expect(try other.memento("restore", direction).status == 1, "\(when), \(direction) twice")
      if direction == "--continue" { try other.expectStates(states, when) }
      try check(other, direction)
      try other.expectNextSave("\(when), \(direction)")
      try other.remove()
    }
    return true
  }
}
