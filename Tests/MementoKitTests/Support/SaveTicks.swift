// A clock for tests of what a save does after its commit: it says how long the save took, and how long each step after
// it.

import Synchronization

/// The first reading is the beginning of a save, the second its end, and each later one a step later.
final class SaveTicks: Sendable {
  private let state = Mutex<(now: UInt64, readings: Int)>((0, 0))
  private let times = Mutex<(save: UInt64, step: UInt64)>((1_000_000_000, 1))

  @Sendable func read() -> UInt64 {
    let (save, step) = times.withLock { $0 }
    return state.withLock { state in
      if state.readings > 0 { state.now += state.readings == 1 ? save : step }
      state.readings += 1
      return state.now
    }
  }

  func begin() { state.withLock { $0.readings = 0 } }

  func set(save: UInt64, step: UInt64) { times.withLock { $0 = (save, step) } }
}
