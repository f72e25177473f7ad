import TestSupport
import Testing

@testable import MementoCLI

/// The pager, with a file in the place of the terminal.
@Suite struct PagerTests {
  init() {
    // As the program does for itself.
    _ = Signals.ignoreWriteSignals()
  }

  private func folder() throws -> CommandFolder {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    try folder.write("a", "other")
    return folder
  }

  private func diff(
    _ folder: CommandFolder, _ environment: [String: String], _ more: String...
  ) throws -> CommandRun {
    try CommandRun(
      bytes: (["diff", "--color", "never", "--exit-code"] + more).map(\.bytes), in: folder.path,
      environment: environment
    ) { $0.isOutputTerminal = true }
  }

  @Test func theFirstThatIsSetCounts() throws {
    let folder = try folder()
    let plain = try diff(folder, [:])
    #expect(plain.status == 1 && plain.output.hasPrefix("diff --git a/a b/a\n"))
    let upper = ["PAGER": "tr a-z A-Z"]
    #expect(try diff(folder, upper).output == plain.output.uppercased())
    #expect(try diff(folder, upper).status == 1)
    #expect(
      try diff(folder, upper.merging(["MEMENTO_PAGER": "sed 's/^/ > /' | head -n 1"]) { $1 }).output
        == " > diff --git a/a b/a\n")
    for none in ["", "cat", " "] {
      #expect(try diff(folder, upper.merging(["MEMENTO_PAGER": none]) { $1 }).output == plain.output)
    }
    #expect(try diff(folder, upper, "--no-pager").output == plain.output)
    #expect(try diff(folder, upper, "--json").output.hasPrefix("{"))
    // Not on a terminal.
    #expect(try folder.memento("diff", "-p", environment: upper).output == plain.output)
    // Nothing to show.
    #expect(try diff(folder, ["PAGER": "echo started; cat"], "--", "nothing").output.isEmpty)
  }

  @Test(arguments: ["/nonexistent/pager -x", "nonexistent-pager; exit 127", "'nonexistent pager'"])
  func aPagerThatDoesNotStartIsDoneWithout(_ pager: String) throws {
    let folder = try folder()
    let run = try diff(folder, ["PAGER": pager])
    #expect(run.output == (try diff(folder, [:]).output))
    #expect(run.status == 1)
  }

  @Test func aPagerThatIsLeftEarlyIsNoError() throws {
    let folder = try folder()
    let text = Content.text(3_000_000, seed: 2)
    try folder.directory.write("large", text)
    let run = try diff(folder, ["PAGER": "head -n 1"])
    #expect(run.output == "diff --git a/a b/a\n")
    #expect(run.errors.isEmpty)
    #expect(run.status == 1)
    try folder.done("save", "two")
    let shown = try folder.memento("show", "two:large", environment: ["PAGER": "true"]) { $0.isOutputTerminal = true }
    #expect(shown.status == 0 && shown.output.isEmpty && shown.errors.isEmpty)
  }

  @Test func errorsAreSaidAfterwards() throws {
    let folder = try folder()
    let run = try folder.memento("show", "one:none", environment: ["PAGER": "tr a-z A-Z"]) {
      $0.isOutputTerminal = true
    }
    #expect(run.status == 12 && run.output.isEmpty)
    let ended = try folder.memento("show", "one", environment: ["PAGER": "kill -9 $$"]) { $0.isOutputTerminal = true }
    #expect(ended.status == 0)
  }

  @Test func theDefaultNeedsATerminalThatCanDoSomething() throws {
    var context = CommandContext()
    #expect(Pager.command(context) == nil)
    context.isOutputTerminal = true
    #expect(Pager.command(context) == nil)
    context.environment["TERM"] = "dumb".bytes
    #expect(Pager.command(context) == nil)
    context.environment["TERM"] = "xterm".bytes
    #expect(Pager.command(context) == "less -FRX".bytes)
    context.environment["PAGER"] = "more".bytes
    #expect(Pager.command(context) == "more".bytes)
  }
}
