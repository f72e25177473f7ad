import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `memento run` in an interactive shell: the command has the terminal, and the shell sees one job.
@Suite(.needsProgram, .enabled(if: Machine.has("bash", "ps"), "bash or ps is missing"))
struct RunTerminalTests {
  private let shell: Shell
  private let terminal: PseudoTerminal

  init() throws {
    shell = try Shell()
    try shell.directory.write("a", "a".bytes)
    try shell.done("save", "one", "-q")
    terminal = try PseudoTerminal(
      ["bash", "--norc", "--noediting", "-i"], in: shell.path,
      environment: ["PROGRAM": Machine.program, "PS1": "", "HISTFILE": "/dev/null"])
    try terminal.enter("stty -echo; alias memento=\"$PROGRAM\"; echo rea''dy")
    try terminal.expect("ready")
  }

  /// Checks that the state before the run is one undo away.
  private func expectStep(_ file: String) throws {
    #expect(try shell.memento("status").output.contains("nothing changed"))
    #expect(shell.directory.exists(file))
    try shell.done("undo", "-q")
    #expect(!shell.directory.exists(file))
  }

  @Test func theCommandReadsTheTerminal() throws {
    try terminal.enter("memento run -- sh -c 'test -t 0 && test -t 1 && test -t 2 && read x && echo \"<$x>\" >> b'")
    try terminal.enter("typed")
    try terminal.expect("memento: sh: 1 added")
    #expect(try shell.directory.read("b") == "<typed>\n".bytes)
    try expectStep("b")
  }

  @Test func controlCEndsTheCommandAlone() throws {
    try terminal.enter("memento run -- sh -c 'echo b > b; echo star''ted; exec sleep 60'; echo \"=$?\"")
    try terminal.expect("started")
    try terminal.type("\u{3}")
    try terminal.expect("memento: sh: it was ended by signal 2; 1 added")
    try terminal.expect("=130")
    try expectStep("b")
  }

  @Test func aCommandMayOutliveControlC() throws {
    try terminal.enter(
      "memento run -- bash -c 'trap \"echo caught >> b; x=1\" INT; echo star''ted; while [ ! $x ]; do :; done; echo end >> b'; echo \"=$?\""
    )
    try terminal.expect("started")
    try terminal.type("\u{3}")
    try terminal.expect("memento: bash: 1 added")
    try terminal.expect("=0")
    // The signal arrives once: the terminal has sent it to the command, so memento does not pass it on.
    #expect(try shell.directory.read("b") == "caught\nend\n".bytes)
    try expectStep("b")
  }

  @Test func controlZStopsTheJob() throws {
    try terminal.enter("memento run -- sh -c 'echo star''ted; read x; echo $x > b'; echo \"=$?\"")
    try terminal.expect("started")
    try terminal.type("\u{1A}")
    try terminal.expect("Stopped")
    try terminal.expect("=148")
    // No lock is held while the job is stopped.
    #expect(try shell.memento("gc", "-q", "--wait", "0").status == 0)
    try terminal.enter("jobs; fg; echo \"=$?\"")
    try terminal.expect("Stopped")
    try terminal.enter("typed")
    try terminal.expect("memento: sh: 1 added")
    try terminal.expect("=0")
    try expectStep("b")
  }

  /// A program stops itself alone, as full-screen programs do.
  @Test(arguments: ["TSTP", "STOP"])
  func whatStopsItselfStopsTheJob(_ signal: String) throws {
    try terminal.enter("memento run -- sh -c 'kill -\(signal) $$; echo b > b'; echo \"=$?\"")
    try terminal.expect("Stopped")
    try terminal.expect("=148")
    try terminal.enter("fg; echo \"=$?\"")
    try terminal.expect("memento: sh: 1 added")
    try terminal.expect("=0")
    try expectStep("b")
  }

  @Test func inTheBackgroundItStopsForInput() throws {
    try terminal.enter("memento run -- sh -c 'read x; echo $x > b' & sleep 0.1; wait %1; echo \"=$?\"")
    try terminal.expect("Stopped")
    try terminal.expect("=149")
    try terminal.enter("fg >/dev/null; echo \"=$?\"")
    try terminal.enter("typed")
    try terminal.expect("memento: sh: 1 added")
    try terminal.expect("=0")
    try expectStep("b")
  }

  @Test func aJobIsKilledAsOne() throws {
    try terminal.enter("memento run -- sh -c 'echo b > b; echo star''ted; exec sleep 60' &")
    try terminal.expect("started")
    try terminal.enter("kill %1; wait %1; echo \"=$?\"")
    try terminal.expect("memento: sh: it was ended by signal 15; 1 added")
    try terminal.expect("=143")
    try expectStep("b")
  }

  @Test func aShellInItKeepsItsJobs() throws {
    try terminal.enter("memento run -- bash --norc --noediting -i; echo \"=$?\"")
    try terminal.enter("sh -c 'echo slee''ping; exec sleep 60'; echo late > c")
    try terminal.expect("sleeping")
    try terminal.type("\u{3}")
    try terminal.enter("echo b > b; exit 5")
    try terminal.expect("memento: bash: it exited with status 5; 1 added")
    try terminal.expect("=5")
    #expect(!shell.directory.exists("c"))
    try expectStep("b")
  }

  @Test func theTerminalHangsUp() throws {
    try terminal.enter(
      "exec \"$PROGRAM\" run -- sh -c 'trap \"echo hup > b; exit 1\" HUP; echo star''ted; while :; do sleep 0.1; done'")
    try terminal.expect("started")
    terminal.hangUp()
    while !terminal.hasEnded { usleep(10_000) }
    try expectStep("b")
  }
}
