import TestSupport
import Testing

/// The model test with the program itself, which is killed at any moment. A command is done or not done, and an
/// interrupted restore reaches one of its two ends.
@Suite(.needsProgram) struct KilledModelTests {
  @Test(arguments: ModelSettings.seeds(1), KilledModelRun.User.all)
  func isWhollyDoneOrNotAtAll(_ seed: UInt64, _ user: KilledModelRun.User) throws {
    var run = try KilledModelRun(seed: seed, as: user)
    let steps = ModelSettings.steps(150)
    for step in 1...steps {
      do {
        try run.step()
        if step % 25 == 0 { try run.compareSnapshots(3) }
      } catch {
        let message = (error as? ModelFailure)?.message ?? "\(error)"
        let last = run.history.suffix(12).joined(separator: "\n  ")
        Issue.record("seed \(seed), \(user), step \(step): \(message)\nThe last steps:\n  \(last)")
        return
      }
    }
    try run.compareSnapshots(20)
    #expect(run.kills > steps / 8, "too few of the kills came in time")
  }
}
