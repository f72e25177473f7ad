import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

/// A save that finds far more than the one before did.
@Suite struct GrowthCommandTests {
  private let folder: CommandFolder

  init() throws {
    folder = try CommandFolder(files: "a", "d/b")
    for number in 0..<30 { try folder.write("modules/\(number)", "module \(number)") }
    try folder.done("init")
    try folder.done("config", "max-new-files", "20")
  }

  @Test func withoutATerminalItIsRefused() throws {
    let run = try folder.memento("save", "one")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errors == """
        memento: modules: would add 30 files, 260 B
        memento: d: would add 1 file, 3 B
        memento: *: would add 1 file, 1 B
        memento: nothing was saved: this folder has 32 files, 264 B
        hint: \(Advice.largeFolder)

        """, "\(run.errors)")
    let json = try folder.memento("save", "one", "--json")
    #expect(json.status == 1 && json.errors.contains("\"id\":\"too-large\""), "\(json.errors)")
    #expect(try folder.done("list").output.isEmpty)
    #expect(try folder.memento("run", "--", "true").status == 125)
    #expect(try folder.done("save", "one", "-n").output.contains("32 added"))
    try folder.done("save", "one", "--yes")
    try folder.done("save", "two")
  }

  @Test func onATerminalItAsks() throws {
    for (answer, status) in [("n\n", 1), ("", 1), ("y\n", 0)] as [(String, Int32)] {
      let run = try folder.memento("save", "one", input: answer) { context in
        context.isInputTerminal = true
        context.isErrorTerminal = true
      }
      #expect(run.status == status, "\(answer) \(run.errors)")
      #expect(run.errors.contains("this folder has 32 files, 264 B, most of it in\n  modules  30 files  260 B\n"))
      #expect(run.errors.contains("Record all of it? [y/N] "))
      #expect(run.errors.contains("nothing was saved") == (status == 1))
    }
    for number in 0..<25 { try folder.write("more/\(number)", "more") }
    // What was there before is not named, however large it is.
    #expect(
      try folder.memento("save", "two").errors.hasPrefix(
        """
        memento: more: would add 25 files, 100 B
        memento: nothing was saved: this folder has grown by 25 files, 100 B

        """))
  }

  @Test func theLimitsAreChecked() throws {
    for value in ["many", "-1", "10%"] { #expect(try folder.memento("config", "max-new-files", value).status == 2) }
    for value in ["many", "-1", "10%"] { #expect(try folder.memento("config", "max-new-size", value).status == 2) }
    try folder.done("config", "max-new-files", "none")
    try folder.done("config", "max-new-size", "100")
    #expect(try folder.memento("save", "one").status == 1)
    try folder.done("config", "max-new-size", "none")
    try folder.done("save", "one")
  }
}
