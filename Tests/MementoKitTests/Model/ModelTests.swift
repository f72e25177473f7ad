// Compares thousands of random edits, saves, restores, undos and redos with a model, which is a plain value. After
// every step the folder, the states and the timeline must agree with it. CONTRIBUTING.md says how to run other seeds
// and more steps.

import TestSupport
import Testing

struct ModelTests {
  @Test(arguments: ModelSettings.seeds(4))
  func agreesWithThePlainValue(_ seed: UInt64) throws {
    var run = try ModelRun(seed: seed)
    for step in 1...ModelSettings.steps(900) {
      do {
        try run.step()
        if step % 100 == 0 { try run.compareSnapshots(10) }
      } catch {
        let message = (error as? ModelFailure)?.message ?? "\(error)"
        let last = run.history.suffix(12).joined(separator: "\n  ")
        Issue.record("seed \(seed), step \(step): \(message)\nThe last steps:\n  \(last)")
        return
      }
    }
    try run.compareSnapshots(50)
  }
}
