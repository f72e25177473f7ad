import TestSupport
import Testing

/// The model test with the program itself, killed at any moment: what a command does is done or not done, and a restore that
/// was interrupted comes to one of its two ends.
@Suite(.needsProgram) struct KilledModelTests {
  @Test(arguments: ModelSettings.seeds(2))
  func isWhollyDoneOrNotAtAll(_ seed: UInt64) throws {
    var run = try KilledModelRun(seed: seed)
    let steps = ModelSettings.steps(150)
    for step in 1...steps {
      do {
        try run.step()
        if step % 25 == 0 { try run.compareSnapshots(3) }
      } catch {
        let message = (error as? ModelFailure)?.message ?? "\(error)"
        Issue.record(
          "seed \(seed), step \(step): \(message)\nThe last steps:\n  \(run.history.suffix(12).joined(separator: "\n  "))")
        return
      }
    }
    try run.compareSnapshots(20)
    #expect(run.kills > steps / 8, "too few of the kills came in time")
  }
}
