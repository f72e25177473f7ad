import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `memento browse` as somebody uses it, in a terminal that is real enough to draw it.
@Suite(.needsProgram, .enabled(if: Machine.has("bash", "tmux"), "bash or tmux is missing"))
struct BrowseTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    let made = try shell.run(
      """
      mkdir src; seq 1 40 >src/main.c; echo hello >README; printf x >$'bell\\a'
      memento save first -m 'all green' -q
      sed -i 's/^7$/seven/' src/main.c; rm README
      memento save second -q
      echo unsaved >notes
      """)
    try #require(made.status == 0, "\(made.errors)")
  }

  /// A shell that starts the browser and tells its status. Then it stays.
  private func browse(
    _ columns: Int = 80, _ rows: Int = 24, before: String = "", options: String = "", after: String = "",
    under tracer: String = "", environment: [String: String] = [:]
  ) throws -> Tmux {
    try Tmux(
      """
      \(before)echo before; \(tracer) "$PROGRAM" browse \(options); echo "=$?"; \(after)
      stty -a | grep -o -- '-\\?icanon'; sleep 600
      """,
      columns: columns, rows: rows, in: shell.path,
      environment: ["LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent"].merging(environment) { $1 })
  }

  /// Another program holds the lock that a restore takes, until it is killed.
  private func holdLock() throws -> RunningProgram {
    let holder = try RunningProgram(
      ["bash", "-c", "exec 4<.memento/folder.lock; flock -x 4; exec sleep 600"], in: shell.path)
    let isHeld = try shell.run(
      "for n in {1..600}; do flock -n .memento/folder.lock true || exit 0; sleep 0.1; done; exit 1")
    try #require(isHeld.status == 0)
    return holder
  }

  /// The browser has ended, and the terminal is as it was: the screen of the shell, its modes, its cursor.
  private func expectEnd(_ terminal: Tmux, _ status: Int) throws {
    try terminal.expect("before", "=\(status)\nicanon")
    #expect(try terminal.tell("#{alternate_on} #{cursor_flag} #{bracketed_paste_flag}").hasPrefix("0 1"))
  }

  @Test func lookMoveRestoreUndo() throws {
    let terminal = try browse()
    // Unsaved changes are on top, and their lines beside them.
    try terminal.expect("unsaved changes", "at second, unsaved: +1 ~0 -0", "+unsaved", "second", "first", "q quit")
    #expect(try terminal.tell("#{alternate_on}") == "1")
    // The entry below, and its diff.
    try terminal.type("j", "d")
    try terminal.expect("snapshot", "D README", "-hello", "M src/main.c", "-7", "+seven", absent: ["+unsaved"])
    // Search goes to the file, and Space restores only this file: first the plan.
    try terminal.type("/")
    try terminal.type(text: "M src")
    try terminal.expect("/M src")
    try terminal.type("Enter", "k", "j")
    try terminal.expect("restore file")
    try terminal.type("h", "j")
    try terminal.expect("all green")
    try terminal.type("t")
    try terminal.expect("tree /", "bell\\x07", "README", "src/")
    try terminal.type("G", "Enter")
    try terminal.expect("tree /src", "main.c")
    try terminal.type("Enter")
    try terminal.expect("file src/main.c", "\n", "7")
    try terminal.type("h", "Space")
    try terminal.expect("the plan of this restore", "would restore first", "replace  src/main.c", "y do it")
    #expect(try shell.directory.read("src/main.c").starts(with: "1\n2\n3\n4\n5\n6\nseven\n".bytes))
    try terminal.type("n")
    try terminal.expect("tree /src", absent: ["the plan"])
    #expect(try shell.directory.read("src/main.c").starts(with: "1\n2\n3\n4\n5\n6\nseven\n".bytes))
    try terminal.type("Space")
    try terminal.expect("y do it")
    try terminal.type("y")
    try terminal.expect("restored first", "1 replaced", "restored", "unsaved: +1 ~0 -0")
    #expect(try shell.directory.read("src/main.c").starts(with: "1\n2\n3\n4\n5\n6\n7\n".bytes))
    #expect(try shell.directory.read("notes") == "unsaved\n".bytes)
    // Undo, with its plan.
    try terminal.type("u")
    try terminal.expect("the plan of undo", "would undo restore", "replace  src/main.c")
    try terminal.type("y")
    try terminal.expect("undid restore", "undone:")
    #expect(try shell.directory.read("src/main.c").starts(with: "1\n2\n3\n4\n5\n6\nseven\n".bytes))
    // The whole state, with what is not saved.
    try terminal.type("U")
    try terminal.expect("the plan of redo")
    try terminal.type("Escape")
    try terminal.type("G")
    try terminal.expect("all green")
    try terminal.type("r")
    try terminal.expect("create   README", "remove   notes", "are saved first")
    try terminal.type("y")
    try terminal.expect("restored first", "what was there is saved as")
    #expect(try shell.directory.read("README") == "hello\n".bytes && !shell.directory.exists("notes"))
    try terminal.type("u")
    try terminal.expect("the plan of undo", "create   notes")
    try terminal.type("y")
    try terminal.expect("undid restore")
    #expect(try shell.directory.read("notes") == "unsaved\n".bytes && !shell.directory.exists("README"))
    try terminal.type("q")
    try expectEnd(terminal, 0)
    #expect(try shell.memento("verify", "--read-data").status == 0)
  }

  @Test func itFitsTheScreen() throws {
    let terminal = try browse()
    try terminal.expect("+unsaved", "│", "memento  ")
    try terminal.resize(columns: 200, rows: 50)
    try terminal.expect("j/k move", "+unsaved")
    #expect(try terminal.screen().split(separator: "\n", omittingEmptySubsequences: false).count >= 50)
    try terminal.resize(columns: 20, rows: 5)
    try terminal.expect("timeline", "? help  q quit", absent: ["│", "memento  "])
    try terminal.type("Tab")
    try terminal.expect("diff", "unsaved", absent: ["timeline"])
    try terminal.resize(columns: 80, rows: 24)
    try terminal.expect("timeline", "│", "+unsaved")
    try terminal.type("?")
    try terminal.expect("half a page", "q back")
    try terminal.type("q", "q", "q")
    try expectEnd(terminal, 0)
  }

  @Test func errorsAreLinesOnTheScreen() throws {
    let terminal = try browse()
    try terminal.expect("+unsaved")
    try terminal.type("U")
    try terminal.expect("nothing to redo")
    // The next key takes it away.
    try terminal.type("j")
    try terminal.expect("-hello", absent: ["nothing to redo"])
    try terminal.type("C-c")
    try expectEnd(terminal, 130)
  }

  @Test(.needsStrace) func anInterruptedRestoreIsShown() throws {
    try shell.interruptRestore(of: "first")
    let terminal = try browse()
    try terminal.expect("a restore was interrupted")
    try terminal.type("u")
    try terminal.expect("memento restore --continue")
    try terminal.type("q")
    try expectEnd(terminal, 0)
  }

  /// However the browser ends, the shell has its terminal again.
  @Test(arguments: [("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131), ("SEGV", 139), ("ABRT", 134)])
  func signalsLeaveTheTerminalAsItWas(_ signal: String, _ status: Int) throws {
    let terminal = try browse()
    try terminal.expect("+unsaved")
    _ = try shell.run("kill -\(signal) $(pgrep -P \(try terminal.tell("#{pane_pid}")))")
    try expectEnd(terminal, status)
  }

  @Test(arguments: [true, false]) func itStopsAndGoesOn(byKey isKey: Bool) throws {
    // The shell has job control: it sees the stop, and goes on with the script.
    let terminal = try browse(before: "set -m; ", after: "read; fg; echo \"=$?\"")
    try terminal.expect("+unsaved")
    try terminal.type("j")
    try terminal.expect("-hello")
    if isKey {
      try terminal.type("C-z")
    } else {
      _ = try shell.run("kill -TSTP $(pgrep -P \(try terminal.tell("#{pane_pid}")))")
    }
    try terminal.expect("before", "=148")
    #expect(try terminal.tell("#{alternate_on} #{cursor_flag}") == "0 1")
    try shell.directory.write("later", "x\n".bytes)
    try terminal.resize(columns: 100, rows: 30)
    try terminal.type("Enter")
    // It looks again, and the screen has its size.
    try terminal.expect("-hello", "unsaved: +2", "U redo")
    try terminal.type("q")
    try expectEnd(terminal, 0)
  }

  @Test func aLockIsWaitedFor() throws {
    let terminal = try browse(options: "--wait 30")
    try terminal.expect("+unsaved")
    // The lock that a restore takes, in the hands of another program.
    let holder = try holdLock()
    try terminal.type("u")
    try terminal.expect("waiting for another memento to finish", "Esc stop")
    // The keys work meanwhile.
    try terminal.type("Escape")
    try terminal.expect("nothing was changed")
    try terminal.type("u")
    try terminal.expect("waiting for another memento to finish")
    holder.signal(SIGKILL)
    try terminal.expect("the plan of undo", absent: ["waiting"])
    try terminal.type("q", "q")
    try expectEnd(terminal, 0)
    let impatient = try browse(options: "--wait 0")
    try impatient.expect("+unsaved")
    let other = try holdLock()
    try impatient.type("u")
    try impatient.expect("another process is using the store", "--wait SECONDS")
    other.signal(SIGKILL)
    try impatient.type("C-c")
    try expectEnd(impatient, 130)
  }

  /// A restore that takes long shows how far it is, and can be stopped: then nothing is lost, as after any interruption.
  @Test(.needsStrace) func aRestoreCanBeStopped() throws {
    _ = try shell.run(
      "mkdir many; for n in {1..150}; do echo $n >many/$n; done; memento save many -q; rm -r many; memento save -q")
    let before = try shell.record()
    let terminal = try browse(
      options: "--color never",
      under: "strace -f -qq -o /dev/null -e trace=utimensat -e inject=utimensat:delay_enter=100000")
    try terminal.expect("second")
    try terminal.type("/")
    try terminal.type(text: "many")
    try terminal.type("Enter", "r")
    try terminal.expect("create   many/1", "y do it")
    try terminal.type("y")
    try terminal.expect("restore: ", "files", "^C stop")
    // Nothing else can be begun meanwhile, and the browser stays.
    try terminal.type("q", "u", "C-c")
    try terminal.expect("interrupted")
    try terminal.type("q")
    try expectEnd(terminal, 0)
    if try shell.memento("save", "-n").status == 14 { try shell.done("restore", "--abort") }
    #expect(try shell.record().differences(from: before) == [])
    #expect(try shell.memento("verify", "--read-data").status == 0)
  }

  /// The terminal is closed while a restore is going on: the restore ends, one way or the other.
  @Test func aClosedTerminalEndsIt() throws {
    let terminal = try PseudoTerminal(
      [Machine.program, "browse"], in: shell.path, environment: ["TERM": "xterm", "LC_ALL": "C.UTF-8"])
    try terminal.expect("+unsaved")
    terminal.hangUp()
    for _ in 0..<600 where !terminal.hasEnded { usleep(100_000) }
    #expect(terminal.hasEnded)
    #expect(try shell.memento("status").status == 0)
  }

  @Test func whatIsPastedIsNotTyped() throws {
    let terminal = try browse()
    try terminal.expect("+unsaved")
    try terminal.paste("jr\ny")
    try terminal.type("d")
    try terminal.expect("restore", "+unsaved", absent: ["the plan"])
    #expect(shell.directory.exists("notes"))
    try terminal.type("C-c")
    try expectEnd(terminal, 130)
  }

  @Test func withoutColours() throws {
    for (environment, isColored) in [(["NO_COLOR": "1"], false), ([:], true)] {
      let terminal = try browse(environment: environment)
      try terminal.expect("+unsaved")
      let painted = try terminal.screen(withStyles: true)
      #expect(painted.contains("\u{1B}[32m") == isColored, "\(painted.debugDescription)")
      #expect(painted.contains("\u{1B}[7m") || painted.contains(";7m"))
    }
  }

  @Test func withoutATerminalThereIsAdvice() throws {
    let launch = try shell.memento("browse")
    #expect(launch.status == 2 && launch.output.isEmpty)
    #expect(launch.errors.contains("browse needs a terminal") && launch.errors.contains("memento log"))
    #expect(try shell.memento("browse", "--json").status == 2)
    let terminal = try browse(environment: ["TERM": "dumb"])
    try terminal.expect("before", "TERM is dumb", "=2")
    #expect(try terminal.tell("#{alternate_on}") == "0")
  }

  @Test func aFolderWithoutAStoreIsAnError() throws {
    let terminal = try browse(before: "cd /; ")
    try terminal.expect("no store", "=10")
  }
}
