// Random schedules of many users of one remote: nothing is lost under the bounds, and the model sees the loss beyond them.

import Foundation
import Testing

@testable import MementoRemote

struct RemoteModelTests {
  /// As many as a debug build runs in seconds. MEMENTO_SCHEDULES asks for another number.
  private static let schedules = ProcessInfo.processInfo.environment["MEMENTO_SCHEDULES"].flatMap { UInt64($0) } ?? 60

  /// Under the bounds of docs/remotes.md.
  @Test func nothingIsLost() throws {
    var counts: [String: Int] = [:]
    for seed in 0..<RemoteModelTests.schedules {
      var conditions = Conditions()
      conditions.isConditional = seed % 2 == 0
      conditions.lag = [0, 200, 2000][Int(seed % 3)]
      let model = RemoteModel(seed: seed, conditions)
      model.run()
      let faults = try model.faults()
      #expect(faults.isEmpty, "seed \(seed)")
      let remains = try model.remainsAfterCollections()
      #expect(remains.isEmpty, "seed \(seed)")
      #expect(try model.faults().isEmpty, "seed \(seed), after collections")
      counts.merge(model.counts) { $0 + $1 }
    }
    // The schedules are about something.
    for event in ["pushed", "deleted", "collected", "packs were removed", "relied packs were marked"] {
      #expect(counts[event, default: 0] > 0, "\(event)")
    }
  }

  private func losses(_ change: (inout Conditions) -> Void, schedules: UInt64 = 400) throws -> Int {
    var conditions = Conditions()
    change(&conditions)
    var losses = 0
    for seed in 0..<schedules where losses == 0 {
      let model = RemoteModel(seed: seed, conditions)
      model.run()
      if try !model.faults().isEmpty { losses += 1 }
    }
    return losses
  }

  @Test func aListingThatLagsLongerThanTheGracePeriodLosesSomething() throws {
    #expect(try losses { $0.lag = 50_000 } > 0)
  }

  @Test func aPushThatDoesNotLookAgainLosesSomething() throws {
    #expect(
      try losses {
        $0.looksAgain = false
        $0.longestPush = 100_000
      } > 0)
  }

  @Test func aCommitThatTakesLongerThanTheGracePeriodAndIsNotFollowedByALookLosesSomething() throws {
    #expect(
      try losses {
        $0.commitWait = 80_000
        $0.deaths = 60
      } > 0)
  }
}
