import TestSupport
import Testing

/// The pager on a terminal, in an interactive shell.
@Suite(.needsProgram, .enabled(if: Machine.has("bash", "less"), "bash or less is missing"))
struct PagerTerminalTests {
  private let shell: Shell
  private let terminal: PseudoTerminal

  init() throws {
    shell = try Shell()
    try shell.directory.write("a", "1\n".bytes)
    try shell.done("save", "one", "-q")
    try shell.directory.write("a", Array((1...5000).map { "line \($0)\n" }.joined().utf8))
    terminal = try PseudoTerminal(
      ["bash", "--norc", "--noediting", "-i"], in: shell.path,
      environment: ["PROGRAM": Machine.program, "PS1": "", "HISTFILE": "/dev/null", "TERM": "xterm"])
    try terminal.enter("stty -echo rows 20 cols 80; memento() { command \"$PROGRAM\" \"$@\"; }; echo rea''dy")
    try terminal.expect("ready")
  }

  @Test func longOutputStopsAfterAScreen() throws {
    try terminal.enter("memento diff --exit-code; echo \"=$?\"")
    let screen = try terminal.expect("\r\n:")
    #expect(screen.contains("\u{1B}[32m+line 10\u{1B}[0m") && !screen.contains("line 30"), "\(screen.debugDescription)")
    try terminal.type(" ")
    try terminal.expect("+line 30")
    // The user quits long before the end. That is not an error, and the status is that of the command.
    try terminal.type("q")
    #expect(try !terminal.expect("=1\r\n").contains("memento:"))
  }

  @Test func anInterruptIsForThePager() throws {
    try terminal.enter("memento diff; echo \"=$?\"")
    try terminal.expect("\r\n:")
    for _ in 0..<2 {
      try terminal.type("\u{3}")
      // less may ring the bell or draw its screen again.
      _ = try? terminal.expect("\u{7}", within: 1)
    }
    // The kernel discards input that is typed together with an interrupt.
    var isLeft = false
    for _ in 0..<20 where !isLeft {
      try terminal.type("q")
      isLeft = (try? terminal.expect("=0\r\n", within: 2)) != nil
    }
    #expect(isLeft)
    // The shell has the terminal again.
    try terminal.enter("")
    try terminal.enter("echo al''ive")
    try terminal.expect("alive\r\n")
  }

  @Test func shortOutputIsJustThere() throws {
    for command in ["log", "show one", "show one:a", "diff one one", "diff --stat"] {
      try terminal.enter("memento \(command); echo \"=$?\"")
      #expect(try !terminal.expect("=0\r\n").contains("(END)"), "\(command)")
    }
  }

  @Test func withoutAPager() throws {
    for (line, last) in [
      ("memento diff --no-pager", "+line 5000"), ("memento --no-pager diff", "+line 5000"),
      ("MEMENTO_PAGER= memento diff", "+line 5000"), ("PAGER=cat memento diff", "+line 5000"),
      ("TERM=dumb memento diff", "+line 5000"), ("MEMENTO_PAGER=/nonexistent memento diff", "+line 5000"),
      ("memento diff | cat", "+line 5000"),
    ] {
      try terminal.enter("\(line); echo \"=$?\"")
      let shown = try terminal.expect("=0\r\n")
      #expect(shown.contains(last), "\(line): \(shown.suffix(300).debugDescription)")
    }
  }
}
