import TestSupport
import Testing

/// Each recipe of docs/cookbook.md is run as it stands there. `Tools/cookbook` says how.
@Suite(.needsProgram, .enabled(if: Machine.has("python3", "bash", "git"), "python3, bash or git is missing"))
struct CookbookTests {
  @Test func theRecipesWork() throws {
    let directory = try TemporaryDirectory()
    let run = try Launch(
      ["python3", "\(Machine.packageFolder)/Tools/cookbook", Machine.program], in: directory.path, timeout: 300)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }
}
