import TestSupport
import Testing

/// On a terminal, long work shows a progress line and output has colour. Elsewhere it has neither.
@Suite(.needsProgram, .enabled(if: Machine.has("script"), "script is missing")) struct TerminalTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    try shell.directory.write("a", "a".bytes)
  }

  /// Runs a command on a terminal of its own, and returns what the terminal shows.
  private func onTerminal(_ command: String, environment: [String: String?] = ["TERM": "xterm"]) throws -> String {
    let run = try shell.run(
      "export PROGRAM; script -qec '\(command)' /dev/null </dev/null", environment: environment)
    return run.output
  }

  @Test func shortWorkShowsNoProgress() throws {
    // On a busy machine, the work may take long, so there are several attempts.
    var shown = ""
    for _ in 1...5 {
      shown = try onTerminal("\"$PROGRAM\" save one --color never")
      if !shown.contains("saving") { break }
    }
    #expect(!shown.contains("\u{1B}"))
    #expect(!shown.contains("saving"))
    #expect(shown.contains("saved one "))
  }

  @Test(.needsStrace) func longWorkShowsALineAndTakesItAway() throws {
    // Each listing of a folder takes 0.3 s.
    let slow = "strace -f -qq -o /dev/null -e inject=getdents64:delay_enter=300000"
    let shown = try onTerminal("\(slow) \"$PROGRAM\" save two --color never")
    #expect(shown.contains("\rsaving"), "\(shown.debugDescription)")
    #expect(shown.contains("\u{1B}[K"))
    let afterLast = shown[(shown.range(ofLast: "\r\u{1B}[K") ?? shown.startIndex..<shown.startIndex).upperBound...]
    #expect(
      afterLast.hasPrefix("saved two ") || afterLast.hasPrefix("memento: made the store"), "\(shown.debugDescription)")
    for options in ["--no-progress", "-q", "--json"] {
      #expect(try !onTerminal("\(slow) \"$PROGRAM\" save two \(options)").contains("saving"), "\(options)")
    }
    #expect(try !onTerminal("\(slow) \"$PROGRAM\" save two", environment: ["TERM": "dumb"]).contains("saving"))
    let plain = try shell.run("\(slow) \"$PROGRAM\" save two")
    #expect(!plain.errors.contains("\r") && !plain.output.contains("\r"))
  }

  @Test func colourIsForTerminals() throws {
    try shell.done("save", "one", "-q")
    #expect(try onTerminal("\"$PROGRAM\" list").contains("\u{1B}["))
    #expect(try !onTerminal("\"$PROGRAM\" list | cat").contains("\u{1B}["))
    #expect(try !onTerminal("NO_COLOR=1 \"$PROGRAM\" list").contains("\u{1B}["))
    #expect(try !onTerminal("\"$PROGRAM\" list --color never").contains("\u{1B}["))
    #expect(try !shell.done("list").output.contains("\u{1B}"))
    #expect(try onTerminal("\"$PROGRAM\" restore nothing").contains("\u{1B}["))
  }
}

extension String {
  fileprivate func range(ofLast part: String) -> Range<Index>? {
    var found: Range<Index>?
    for start in unicodeScalars.indices where self.unicodeScalars[start...].starts(with: part.unicodeScalars) {
      found = start..<unicodeScalars.index(start, offsetBy: part.unicodeScalars.count)
    }
    return found
  }
}
