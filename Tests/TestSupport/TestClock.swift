// A clock for tests of what happens after days.

package import MementoSystem
internal import Synchronization

/// A clock that moves only when a test moves it.
package final class TestClock: Sendable {
  private let reading = Mutex(
    ClockReading(wall: Timestamp(seconds: 1_780_000_000, nanoseconds: 5), boot: "boot-0", sinceBoot: 1_000_000_000))

  package init() {}

  @Sendable package func read() -> ClockReading { reading.withLock { $0 } }

  package func pass(seconds: UInt64) { pass(nanoseconds: seconds * 1_000_000_000) }

  package func pass(nanoseconds: UInt64) {
    reading.withLock { reading in
      reading.sinceBoot += nanoseconds
      let all = UInt64(reading.wall.nanoseconds) + nanoseconds
      reading.wall.seconds += Int64(all / 1_000_000_000)
      reading.wall.nanoseconds = UInt32(all % 1_000_000_000)
    }
  }

  /// Moves the wall clock alone by this number of seconds.
  package func set(seconds: Int64) { reading.withLock { $0.wall.seconds += seconds } }

  /// A new boot: the boot identity changes and the time since boot starts again.
  package func boot() {
    reading.withLock { reading in
      reading.boot += "+"
      reading.sinceBoot = 1
    }
  }
}
