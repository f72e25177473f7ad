// Compares thousands of random edits, saves, restores, undos and redos with a model, which is a plain value. After
// every step the folder, the states and the timeline must agree with it. CONTRIBUTING.md says how to run other seeds
// and more steps.

import TestSupport
import Testing

struct ModelTests {
  @Test(arguments: ModelSettings.seeds(4))
  func agreesWithThePlainValue(_ seed: UInt64) throws {
    var run = try ModelRun(seed: seed)
    try compare(&run, steps: 900, every: 100)
  }

  /// The same while saves drop steps and remove packs, a piece at a time.
  @Test(arguments: ModelSettings.seeds(2))
  func agreesWhileSavesTidyUp(_ seed: UInt64) throws {
    var run = try ModelRun(seed: seed &+ 1000, keptSteps: 3)
    try compare(&run, steps: 600, every: 60)
    #expect(run.droppedSteps > 0)
  }

  private func compare(_ run: inout ModelRun, steps: Int, every: Int) throws {
    for step in 1...ModelSettings.steps(steps) {
      do {
        try run.step()
        if step % every == 0 { try run.compareSnapshots(10) }
      } catch {
        let message = (error as? ModelFailure)?.message ?? "\(error)"
        let last = run.history.suffix(12).joined(separator: "\n  ")
        Issue.record("step \(step): \(message)\nThe last steps:\n  \(last)")
        return
      }
    }
    try run.compareSnapshots(50)
  }
}
