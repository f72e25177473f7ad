import TestSupport
import Testing

/// README shows the real output of the program. `Tools/readme` makes the transcripts again.
@Suite(
  .needsProgram, .enabled(if: Machine.has("python3", "bash"), "python3 or bash is missing")
)
struct ReadmeTests {
  @Test func theTranscriptsAreWhatTheProgramSays() throws {
    let directory = try TemporaryDirectory()
    let check = try Launch(
      ["python3", "\(Machine.packageFolder)/Tools/readme", "--check", Machine.program], in: directory.path,
      environment: ["PATH": Machine.path, "TMPDIR": directory.path])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test func theFiveCommandsAreShown() throws {
    let shell = try Shell()
    let shown = try shell.run("grep -o '^    \\$ memento [a-z]*' \(Machine.packageFolder)/README.md | sort -u")
    for command in ["save", "restore", "list", "delete", "log"] {
      #expect(shown.output.contains("    $ memento \(command)\n"))
    }
  }
}
