import MementoKit
import TestSupport
import Testing

/// A command that saves or removes is killed before any of its calls that write. It has then changed everything or
/// nothing: the folder is unchanged, every state restores exactly, and the next save needs no help.
@Suite(.needsProgram, .needsStrace) struct CrashSaveTests {
  private func crash(
    _ folder: CrashFolder, _ arguments: [String], atMost limit: Int, seed: UInt64, isCertain: Bool = true,
    _ check: (CrashCopy, String) throws -> Void
  ) throws {
    let calls = try folder.calls(of: arguments)
    for (number, call) in Injection.sample(calls, atMost: limit, seed: seed).enumerated() {
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(arguments, at: call, isCertain: isCertain)
      let when = "\(arguments[0]) killed at \(call)"
      #expect(try copy.record().differences(from: folder.record) == [], "\(when)")
      try check(copy, when)
      try copy.remove()
    }
  }

  @Test func theFirstSave() throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, nil)])
    try crash(folder, ["save", "one", "-q"], atMost: 14, seed: 1) { copy, when in
      if copy.isStore {
        try copy.expectStates([:], others: ["one": folder.record], when)
      } else {
        #expect(try copy.memento("list").status == 10, "\(when)")
      }
      try copy.expectNextSave(when)
    }
  }

  @Test func aSaveOfChanges() throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one"), (CrashFolder.changes, nil)])
    try crash(folder, ["save", "two", "-q"], atMost: 14, seed: 2) { copy, when in
      try copy.expectStates(folder.states, others: ["two": folder.record], when)
      try copy.expectNextSave(when)
    }
  }

  @Test func aSaveThatMovesAName() throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one"), (CrashFolder.changes, nil)])
    let old = folder.states["one"]
    try crash(folder, ["save", "one", "-q"], atMost: 8, seed: 3) { copy, when in
      let target = "\(copy.path)-one"
      #expect(try copy.memento("restore", "one", "--to", target, "-q").status == 0, "\(when)")
      let record = try FolderRecord(of: target)
      #expect(record == old || record == folder.record, "\(when)")
      #expect(try copy.memento("verify", "--read-data", "-q").status == 0, "\(when)")
      try copy.expectNextSave(when)
    }
  }

  @Test func aSaveOfNoChanges() throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one")])
    try crash(folder, ["save", "two", "-q"], atMost: 8, seed: 4) { copy, when in
      try copy.expectStates(folder.states, others: ["two": folder.record], when)
      try copy.expectNextSave(when)
    }
  }

  /// The list of states moves out of `refs`, or into another file.
  @Test(arguments: [1, 2])
  func aSaveThatWritesAListOfStates(_ lists: Int) throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one"), (CrashFolder.changes, nil)])
    let repository = try Repository.find(from: BytePath("\(folder.shell.path)/base"))
    for list in 1...lists {
      // With one state more, a list is written.
      let count = list == 1 && lists == 1 ? 511 : 512
      try repository.saveValues((0..<count).map { NamedValue(name: "\(list) \($0)", bytes: "\($0)".bytes) })
    }
    let names = Set(try repository.states().map(\.name))
    try crash(folder, ["save", "two", "-q"], atMost: 10, seed: 9) { copy, when in
      #expect(try copy.memento("verify", "--read-data", "-q").status == 0, "\(when)")
      let found = Set(try copy.stateNames())
      #expect(found == names || found == names.union(["two"]), "\(when)")
      #expect(try copy.memento("restore", "1 300", "--stdout").output == "300", "\(when)")
      // The next list removes what the crash has left.
      try copy.expectNextSave(when)
      let next = try Repository.find(from: BytePath(copy.path))
      try next.saveValues((0..<600).map { NamedValue(name: "next \($0)", bytes: []) })
      #expect(try Launch(["ls", ".memento/states"], in: copy.path).output.split(separator: "\n").count <= 2, "\(when)")
    }
  }

  @Test func aDeletion() throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two")])
    try crash(folder, ["delete", "one", "-q"], atMost: 8, seed: 5) { copy, when in
      let one = ["one": try #require(folder.states["one"])]
      try copy.expectStates(folder.states.filter { $0.key == "two" }, others: one, when)
      try copy.expectNextSave(when)
    }
  }

  @Test func garbageCollection() throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two")])
    // Some values share a pack with others, and some have packs of their own.
    let run = try folder.shell.run(
      """
      cd base; for i in 1 2 3; do seq $((i * 1000)) | memento save v$i --stdin -q; done
      seq 40000 | memento save large --stdin -q; memento delete v1 v3 large -q; memento delete v2 -q
      """)
    try #require(run.status == 0, "\(run.errors)")
    try crash(folder, ["gc", "-q"], atMost: 14, seed: 6) { copy, when in
      try copy.expectStates(folder.states, when)
      #expect(try copy.memento("gc", "-q").status == 0, "\(when)")
      try copy.expectStates(folder.states, when + ", and gc again")
      try copy.expectNextSave(when)
    }
  }

  /// A save that marks, that takes what expired from `refs`, or that removes packs.
  @Test(arguments: 1...3) func aSaveThatTidiesUp(_ phase: Int) throws {
    let folder = try CrashFolder([
      (CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two"),
      (
        """
        printf 'keep = 0s, 3\\n' >> .memento/config
        for i in $(seq 300); do
          seq $i $((i + 300)) > numbers; memento save -q
          found=$(od -An -tu1 -j16 -N1 .memento/cache/mark | tr -d ' ')
          if [ "$i" -gt 20 ] && [ "$found" = \(phase) ]; then break; fi
        done
        [ "$found" = \(phase) ]; seq 7 > numbers
        """, nil
      ),
    ])
    try crash(folder, ["save", "-q"], atMost: 8, seed: UInt64(20 + phase), isCertain: false) { copy, when in
      try copy.expectStates(folder.states, when)
      for number in 0..<15 {
        try FolderTools(Array(copy.path.utf8)).write("numbers".bytes, "\(number)".bytes)
        #expect(try copy.memento("save", "-q").status == 0, "\(when)")
      }
      try copy.expectStates(folder.states, when + ", and more saves")
      try copy.expectNextSave(when)
    }
  }

  /// A save that looks at packs, that puts versions side by side, or that removes what they lay in before.
  @Test(arguments: 1...3) func aSaveThatSortsVersions(_ piece: Int) throws {
    var steps: [(script: String, state: String?)] = [(CrashFolder.firstFiles, "one")]
    for version in 1...8 {
      let place = version * 9000
      steps.append(
        (
          """
          [ -f base ] || head -c 90000 /dev/urandom > base
          { head -c \(place) base; echo version \(version); tail -c +\(place + 1) base; } > text
          """, "v\(version)"
        ))
    }
    // Commit, look, sort and rewrite are a piece each at least, and each writes its notes.
    steps.append(
      (
        """
        printf 'keep = 0s, 3\\n' >> .memento/config; pieces=0; before=
        for i in $(seq 900); do
          seq $i $((i + 300)) > numbers; memento save -q
          phase=$(od -An -tu1 -j16 -N1 .memento/cache/mark | tr -d ' ')
          notes=$(cksum < .memento/cache/mark)
          if [ "$phase" = 3 ] && [ "$notes" != "$before" ]; then pieces=$((pieces + 1)); before=$notes; fi
          if [ "$pieces" = \(piece) ]; then break; fi
        done
        [ "$pieces" = \(piece) ]; seq 7 > numbers
        """, nil
      ))
    let folder = try CrashFolder(steps)
    try crash(folder, ["save", "-q"], atMost: 6, seed: UInt64(30 + piece), isCertain: false) { copy, when in
      try copy.expectStates(folder.states, when)
      for number in 0..<12 {
        try FolderTools(Array(copy.path.utf8)).write("numbers".bytes, "\(number)".bytes)
        #expect(try copy.memento("save", "-q").status == 0, "\(when)")
      }
      try copy.expectStates(folder.states, when + ", and more saves")
      try copy.expectNextSave(when)
    }
  }

  /// A save of a store with more than its budget, which drops steps and removes packs.
  @Test func aSaveThatMakesRoom() throws {
    let folder = try CrashFolder([
      (CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two"),
      (
        """
        memento config auto-gc false -q
        for i in $(seq 30); do head -c 20000 /dev/urandom > noise; memento save -q; done
        memento config max-size 700k -q; memento config auto-gc true -q; seq 7 > numbers
        """, nil
      ),
    ])
    try crash(folder, ["save", "-q"], atMost: 14, seed: 25, isCertain: false) { copy, when in
      try copy.expectStates(folder.states, when)
      // The next saves go on with what the killed one has left. One that begins with a merge makes no room, and one that
      // takes long on a busy machine leaves some to the next.
      for number in 0..<10 {
        try FolderTools(Array(copy.path.utf8)).write("numbers".bytes, "\(number)".bytes)
        #expect(try copy.memento("save", "-q").status == 0, "\(when)")
      }
      #expect(try copy.storeSize() <= 700 << 10, "\(when)")
      try copy.expectStates(folder.states, when + ", and more saves")
      try copy.expectNextSave(when)
    }
  }

  @Test func initialisation() throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, nil)])
    try crash(folder, ["init", "-q"], atMost: 14, seed: 7) { copy, when in
      // A store that was not finished does not count as one, so it can be made again.
      let expected: Int32 = copy.isStore ? 1 : 0
      #expect(try copy.memento("init", "-q").status == expected, "\(when)")
      try copy.expectStates([:], when)
      try copy.expectNextSave(when)
    }
  }

  @Test func aValue() throws {
    let folder = try CrashFolder([(CrashFolder.firstFiles, "one")])
    let arguments = ["save", "v", "-q", "--stdin-from", "--", "seq", "90000"]
    // strace does not follow the child process, so only the calls of memento itself count.
    let trial = try folder.copy("trial")
    let calls = try Injection.calls(Injection.mutating, of: arguments, in: trial.path, following: false)
    for (number, call) in Injection.sample(calls, atMost: 8, seed: 8).enumerated() {
      let copy = try folder.copy("crash-\(number)")
      let killed = try Injection.run(arguments, in: copy.path, inject: call.inject("signal=KILL"), following: false)
      #expect(killed.status == 137)
      let when = "save of a value killed at \(call)"
      #expect(try copy.memento("verify", "--read-data", "-q").status == 0, "\(when)")
      if try copy.stateNames().contains("v") {
        #expect(
          try copy.memento("restore", "v", "--stdout").outputBytes == Launch(["seq", "90000"]).outputBytes, "\(when)")
      }
      try copy.expectNextSave(when)
      try copy.remove()
    }
  }
}
