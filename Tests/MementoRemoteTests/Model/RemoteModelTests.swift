// Random schedules of many users of one remote: nothing is lost under the bounds, and the model sees the loss beyond them.

import Foundation
import Testing

@testable import MementoRemote

struct RemoteModelTests {
  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
  }

  /// The schedules of each of eight parts: 1,200 in all. MEMENTO_SCHEDULES asks for another number.
  private static let schedules = number("MEMENTO_SCHEDULES") ?? 150
  /// MEMENTO_SEED: the first seed.
  private static let first = number("MEMENTO_SEED") ?? 0

  /// Under the bounds of docs/remotes.md.
  @Test(arguments: 0..<8) func nothingIsLost(_ part: UInt64) throws {
    var counts: [String: Int] = [:]
    let start = RemoteModelTests.first + part * RemoteModelTests.schedules
    for seed in start..<start + RemoteModelTests.schedules {
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
    guard RemoteModelTests.schedules >= 100 else { return }
    // The schedules are about something.
    for event in [
      "pushed", "deleted", "collected", "packs were removed", "packs were rewritten", "relied packs were marked",
    ] {
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
