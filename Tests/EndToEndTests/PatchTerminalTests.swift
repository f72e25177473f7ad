import TestSupport
import Testing

/// `memento restore --patch` on a terminal.
@Suite(.needsProgram) struct PatchTerminalTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    let made = try shell.run("seq 40 > text; echo one > other; memento save one -q; sed -i 's/^3$/x/;s/^30$/y/' text")
    try #require(made.status == 0, "\(made.errors)")
  }

  private func terminal(_ words: String...) throws -> PseudoTerminal {
    try PseudoTerminal([Machine.program] + words, in: shell.path, environment: ["TERM": "xterm"])
  }

  private func text() throws -> String { String(decoding: try shell.directory.read("text"), as: UTF8.self) }

  private func expected(_ third: String, _ thirtieth: String) -> String {
    (1...40).map { $0 == 3 ? third : $0 == 30 ? thirtieth : "\($0)" }.joined(separator: "\n") + "\n"
  }

  @Test func hunksAreChosen() throws {
    let terminal = try terminal("restore", "--patch", "one")
    let first = try terminal.expect("(1/2) Apply this hunk to the folder [y,n,q,a,d,j,J,g,/,e,p,?]? ")
    #expect(first.contains("\u{1B}[31m-x\u{1B}[0m\r\n\u{1B}[32m+3\u{1B}[0m\r\n"))
    try terminal.enter("?")
    try terminal.expect("g - go to a hunk by its number")
    try terminal.enter("n")
    try terminal.expect("(2/2) Apply this hunk to the folder [y,n,q,a,d,K,g,/,e,p,?]? ")
    try terminal.enter("y")
    try terminal.expect("to go back: memento undo")
    while !terminal.hasEnded {}
    #expect(try text() == expected("x", "30"))
    try shell.done("undo", "-q")
    #expect(try text() == expected("x", "y"))
  }

  /// Nobody is locked out while a user thinks, and a file that was changed meanwhile is kept.
  @Test func otherCommandsGoOnMeanwhile() throws {
    let terminal = try terminal("restore", "--patch", "one")
    try terminal.expect("(1/2) Apply this hunk")
    try shell.directory.write("more", "more".bytes)
    try shell.done("save", "meanwhile", "-q", "--wait", "0")
    try shell.done("gc", "-q", "--wait", "0")
    try shell.directory.write("text", "written meanwhile\n".bytes)
    try terminal.enter("a")
    try terminal.expect("text: changed since it was shown: it stays as it is")
    while !terminal.hasEnded {}
    #expect(try text() == "written meanwhile\n")
    #expect(shell.directory.exists("more"))
  }

  @Test func controlCChangesNothing() throws {
    let terminal = try terminal("restore", "--patch", "one")
    try terminal.expect("(1/2) Apply this hunk")
    try terminal.enter("y")
    try terminal.expect("(2/2) Apply this hunk")
    try terminal.type("\u{3}")
    try terminal.expect("nothing was changed")
    while !terminal.hasEnded {}
    #expect(try text() == expected("x", "y"))
  }
}
