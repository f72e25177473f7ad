import TestSupport
import Testing

/// Passphrases that are typed: twice for a new one, and never shown.
@Suite(.needsProgram, .enabled(if: Machine.has("bash"), "bash is missing"))
struct RemoteKeyTerminalTests {
  private let shell: Shell
  private let terminal: PseudoTerminal

  init() throws {
    shell = try Shell()
    try shell.directory.write("a", "1\n".bytes)
    try shell.done("save", "one", "-q")
    terminal = try PseudoTerminal(
      ["bash", "--norc", "--noediting", "-i"], in: shell.path,
      environment: ["PROGRAM": Machine.program, "PS1": "", "HISTFILE": "/dev/null"])
    try terminal.enter("stty -echo rows 40 cols 100; memento() { command \"$PROGRAM\" \"$@\"; }; echo rea''dy")
    try terminal.expect("ready")
  }

  /// Answers questions in their order, and returns all that was shown up to the status.
  private func run(_ line: String, _ answers: [(question: String, answer: String)], _ status: Int) throws -> String {
    try terminal.enter("memento \(line); echo \"=$?\"")
    var shown = ""
    for (question, answer) in answers {
      shown += try terminal.expect(question)
      try terminal.enter(answer)
    }
    return try shown + terminal.expect("=\(status)\r\n")
  }

  @Test func aPassphraseIsChangedOnTheTerminal() throws {
    let added = try run(
      "remote add origin \"$PWD/../$(basename \"$PWD\")-remote\"",
      [("New passphrase of origin: ", "first one"), ("The same again: ", "first one")], 0)
    #expect(added.contains("The recovery key of origin, which is shown only now:"))
    // Two that differ change nothing.
    let different = try run(
      "remote key change origin",
      [
        ("Passphrase of origin: ", "first one"), ("New passphrase of origin: ", "second one"),
        ("The same again: ", "third one"),
      ], 2)
    #expect(different.contains("the two passphrases are not the same"))
    let changed = try run(
      "remote key change origin",
      [
        ("Passphrase of origin: ", "first one"), ("New passphrase of origin: ", "second one"),
        ("The same again: ", "second one"),
      ], 0)
    #expect(changed.contains("in the place of the passphrase"), "\(changed)")
    #expect(!changed.contains("one\r\n"), "\(changed)")
    _ = try run("remote check", [("Passphrase of origin: ", "first one")], 15)
    _ = try run("push -q", [("Passphrase of origin: ", "second one")], 0)
    // A recovery key is shown on the terminal, and nowhere else.
    let recovery = try run("remote key add --recovery 2>&1", [("Passphrase of origin: ", "second one")], 0)
    #expect(recovery.contains("The recovery key of origin"), "\(recovery)")
    try terminal.enter("memento remote key add --recovery </dev/null 2>err; echo \"=$?\"")
    try terminal.expect("=2\r\n")
    try terminal.enter("rm -rf \"$PWD/../$(basename \"$PWD\")-remote\"; echo cle''an")
    try terminal.expect("clean")
  }
}
