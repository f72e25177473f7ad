// What a command has acknowledged is on the medium, in the right order: nothing is named before its content is flushed,
// nothing is relied on before its name is, and nothing is removed before what takes its place is safe.

import TestSupport
import Testing

@Suite(.needsProgram, .needsStrace) struct DurabilityTests {
  struct Case: CustomTestStringConvertible, Sendable {
    /// Makes the folder in which the command runs.
    let prepare: String
    let command: [String]
    /// Command lines that ran before it, with --no-sync.
    var unsynced: [String]?
    var status: Int32 = 0

    var testDescription: String { command.joined(separator: " ") + (unsynced == nil ? "" : " after --no-sync") }
  }

  private static let files = "mkdir -p d/e; seq 5000 > a; seq 9000 20000 > d/b; echo c > d/e/c; ln d/b d/e/b"
  private static let first = files + "; memento save one -q"
  private static let two = first + "; echo more > d/more; rm a; ln -s d l; memento save two -q"
  /// More states than `refs` hold, and more trash.
  private static let many = first + "; \"$CARETAKER\" \"$PWD\" fill v 600"
  private static let damagedPack =
    two + """
      ; for pack in .memento/packs/*; do printf XX | dd of=$pack bs=1 seek=30 conv=notrunc status=none; done
      """

  static let cases = [
    Case(prepare: files, command: ["init"]),
    Case(prepare: files, command: ["save", "one"]),
    Case(prepare: files, command: ["-C", "d", "save", "one", "--store", "../elsewhere"]),
    Case(prepare: first + "; echo b >> a; mkdir n; echo n > n/n", command: ["save", "two"]),
    Case(prepare: first, command: ["save", "two", "--exclude", "*.o"]),
    Case(prepare: first, command: ["save", "value", "--stdin"]),
    Case(prepare: many, command: ["save", "value", "--stdin"]),
    Case(prepare: many, command: ["delete", "--pattern", "v*"]),
    Case(prepare: many, command: ["prune", "--keep-last", "3"]),
    Case(prepare: two, command: ["save", "again", "--from", "one"]),
    Case(prepare: two, command: ["rename", "one", "other"]),
    Case(prepare: two, command: ["delete", "one"]),
    Case(prepare: two, command: ["restore", "one"]),
    Case(
      prepare: two + "; echo unsaved > d/more; mkdir x; echo x > x/x.o; echo '*.o' > .mementoignore",
      command: ["restore", "one"]),
    Case(prepare: two, command: ["undo"]),
    Case(prepare: two + "; memento undo -q", command: ["redo"]),
    Case(prepare: two + "; memento delete one -q", command: ["gc", "--now"]),
    Case(prepare: two + "; memento delete one -q", command: ["gc", "--now", "--no-sync"]),
    Case(prepare: two, command: ["config", "keep", "3d"]),
    Case(prepare: files, command: ["config", "--user", "gitignore", "true"]),
    Case(prepare: two, command: ["describe", "one", "-m", "why"]),
    Case(prepare: two, command: ["export", "one", "out.tar"]),
    Case(prepare: two, command: ["export", "one", "d/out.tar.gz"]),
    Case(prepare: two + "; memento export one out.tar -q", command: ["import", "out.tar", "three"]),
    Case(prepare: two, command: ["purge", "--yes", "d/b"]),
    Case(prepare: two, command: ["delete", "--purge", "one"]),
    Case(prepare: two, command: ["revert", "one..two"]),
    Case(prepare: two, command: ["remote", "add", "there", "file:///nowhere/at/all"], status: -1),
    Case(prepare: damagedPack, command: ["verify", "--repair"]),
    Case(prepare: damagedPack + "; rm -r .memento/parity", command: ["verify", "--repair"], status: -1),
    Case(prepare: two + "; rm .memento/config", command: ["verify", "--repair"]),
    Case(prepare: two + "; rm .memento/config; mkdir .memento/config", command: ["verify", "--repair"]),
    Case(prepare: two + "; rm .memento/config .memento/backup/config", command: ["verify", "--repair"]),
    Case(prepare: two + "; printf X >> .memento/refs", command: ["verify", "--repair"]),
    Case(prepare: two + "; rm -r .memento/backup; printf X >> .memento/refs", command: ["verify", "--repair"]),
    Case(
      prepare: many + "; printf X >> .memento/states/*; rm -r .memento/backup", command: ["verify", "--repair"],
      status: -1),
    Case(prepare: first + "; echo b > b", command: ["save", "three"], unsynced: ["save", "two", "--no-sync"]),
    Case(
      prepare: first + "; echo b > b", command: ["save", "three", "--from", "two"],
      unsynced: ["save", "two", "--no-sync"]),
    Case(prepare: first + "; echo b > b", command: ["gc"], unsynced: ["save", "two", "--no-sync"]),
    Case(prepare: first, command: ["save", "three", "--stdin"], unsynced: ["save", "two", "--stdin", "--no-sync"]),
  ]

  @Test(arguments: cases) func whatIsAcknowledgedIsOnTheMedium(_ test: Case) throws {
    let shell = try Shell()
    let made = try shell.run(test.prepare, environment: ["CARETAKER": Machine.caretakerProgram])
    try #require(made.status == 0 || test.status == -1, "\(made.errors)")
    var model = DurabilityModel(shell.path)
    if let before = test.unsynced {
      let run = try model.run(before, isAcknowledged: false)
      try #require(run.status == 0, "\(run.errors)")
      try #require(model.violations == [])
    }
    let run = try model.run(test.command)
    #expect(test.status == -1 || run.status == test.status, "\(run.output)\(run.errors)")
    #expect(model.violations == [])
  }

  /// A save that tidies up: it merges packs, or takes what expired from `refs`, removes packs and rewrites others, all of it
  /// when the store has more than its budget.
  @Test(arguments: [["save", "-q"], ["save", "value", "--stdin", "-q"]])
  func aSaveThatTidiesUp(_ words: [String]) throws {
    let shell = try Shell()
    let made = try shell.run(
      DurabilityTests.first + """
        ; memento config auto-gc false -q; head -c 30000 /dev/urandom > large
        for i in $(seq 24); do
          if [ $((i % 8)) = 0 ]; then memento save s$i -q; fi
          head -c 20000 /dev/urandom > new; echo $i > n; memento save -q; echo $i | memento save v$i --stdin -q
        done
        memento config max-size 700k -q; memento config auto-gc true -q; echo last > n
        """)
    try #require(made.status == 0, "\(made.errors)")
    var model = DurabilityModel(shell.path)
    var removed = 0
    for _ in 0..<3 {
      let before = try shell.directory.names(".memento/packs")
      let run = try model.run(words)
      #expect(run.status == 0, "\(run.errors)")
      let after = Set(try shell.directory.names(".memento/packs"))
      removed += before.filter { !after.contains($0) }.count
      _ = try shell.run("echo more >> n")
    }
    #expect(removed > 10)
    #expect(model.violations == [])
    _ = try shell.done("verify", "--read-data")
  }

  /// What is known of a remote is safe before the command ends. When it is forgotten, its entry goes first.
  @Test func whatIsKnownOfARemote() throws {
    let (shell, place) = (try Shell(), try TemporaryDirectory())
    let made = try shell.run(DurabilityTests.two)
    try #require(made.status == 0, "\(made.errors)")
    var model = DurabilityModel(shell.path)
    for words in [
      ["add", "there", "file://\(place.path)/r", "--plain"], ["remove", "there"],
    ] {
      let run = try model.run(["remote"] + words)
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try shell.directory.names(".memento/remotes") == [])
    #expect(model.violations == [])
  }

  /// A restore was killed, and what somebody wrote meanwhile is in the staging folder alone. It is kept, and its new name is
  /// safe when the command ends. `change`: what else has happened to the store.
  @Test(arguments: [
    // Nothing else is done that would flush the folder of the store as a whole.
    ("cp ../refs .memento/refs", ["save", "three", "-q"]),
    ("true", ["restore", "--abort", "-q"]), ("true", ["restore", "--continue", "-q"]),
    // It is kept as a whole when nobody can say what is in it.
    ("rm .memento/tmp/restore-*/list", ["restore", "--abort", "-q"]),
    (
      "for list in .memento/tmp/restore-*/list; do echo X > $list; done; cp ../refs .memento/refs",
      ["save", "x", "-q"]
    ),
  ]) func whatARestoreHasLeft(_ change: String, _ command: [String]) throws {
    let shell = try Shell()
    let made = try shell.run(
      """
      mkdir in; cd in; \(DurabilityTests.two); echo changed > d/b; memento save three -q; cp .memento/refs ../refs
      taskset -c 0 strace -f -qq -o /dev/null -e inject=renameat2:signal=KILL:when=2 "$PROGRAM" restore one -q
      for file in .memento/tmp/restore-*/[0-9]*; do echo precious > $file; done; \(change)
      """)
    try #require(made.status == 0, "\(made.errors)")
    var model = DurabilityModel(shell.path)
    _ = try model.run(["-C", "in"] + command)
    let rescued = try shell.run("cd in/.memento; cat $(find rescue -type f ! -name list) | grep -c precious; ls tmp")
    #expect(Int(rescued.output.prefix { $0 != "\n" }) ?? 0 > 0, "\(rescued.output)\(rescued.errors)")
    #expect(model.violations == [])
  }

  /// A repair makes a folder for packs again. Its name is safe before a save puts the first pack into it.
  @Test func packsThatAreMadeAgain() throws {
    let shell = try Shell()
    let made = try shell.run(DurabilityTests.two + "; rm -r .memento/packs .memento/parity .memento/cache")
    try #require(made.status == 0, "\(made.errors)")
    var model = DurabilityModel(shell.path)
    _ = try model.run(["verify", "--repair"])
    let run = try model.run(["save", "three", "-q"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try !shell.directory.names(".memento/packs").isEmpty)
    #expect(model.violations == [])
    _ = try shell.done("restore", "three", "--to", "copy")
  }

  /// After a start of the machine, what --no-sync has left is flushed and read before anything relies on it.
  @Test func whatAnEarlierStartHasLeft() throws {
    let shell = try Shell()
    _ = try shell.run(DurabilityTests.first + "; echo b > b")
    var model = DurabilityModel(shell.path)
    _ = try model.run(["save", "two", "--no-sync"], isAcknowledged: false)
    _ = try shell.run("sed -i '2s/.*/boot another/' .memento/unsynced")
    let run = try model.run(["save", "three", "-q"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(model.violations == [])
  }

  /// What is copied out of a damaged pack, and the folder to which that pack goes, are safe before the mark is removed
  /// that says what may be lost; also when the command itself flushes nothing.
  @Test func whatIsLeftOfADamagedPackOfAnEarlierStart() throws {
    let shell = try Shell()
    let made = try shell.run(
      DurabilityTests.first + """
        ; before=$(ls .memento/packs); seq 30000 40000 > new; memento save two -q --no-sync
        sed -i '2s/.*/boot another/' .memento/unsynced; rm -r .memento/parity
        for pack in $(ls .memento/packs | grep -vxF "$before"); do
          printf XX | dd of=.memento/packs/$pack bs=1 seek=30 conv=notrunc status=none
        done
        """)
    try #require(made.status == 0, "\(made.errors)")
    var model = DurabilityModel(shell.path)
    _ = try model.run(["delete", "one", "-q", "--no-sync"])
    #expect(try !shell.directory.names(".memento/damaged").isEmpty)
    #expect(model.violations.filter { $0.hasPrefix("before unsynced is removed") } == [])
  }

  /// Proves that the test sees what is not flushed.
  @Test func itSeesWhatIsNotFlushed() throws {
    let shell = try Shell()
    _ = try shell.run(DurabilityTests.files)
    var model = DurabilityModel(shell.path)
    _ = try model.run(["save", "one", "--no-sync"])
    #expect(model.violations.contains { $0.hasPrefix("packs/") }, "\(model.violations)")
    #expect(model.violations.contains { $0.hasPrefix("refs gets its name") }, "\(model.violations)")
    #expect(model.violations.contains { $0.hasPrefix("at the end: the name of ") }, "\(model.violations)")
  }
}
