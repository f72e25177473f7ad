// Measures how much time a store has seen pass. gc removes some things after a time. It must not go by the wall clock,
// which may jump by years.

package import MementoSystem

/// The time that a store had seen pass when `refs` was last written.
package struct LivedClock: Equatable, Sendable {
  /// The most time that counts between two boots, in nanoseconds: only the wall clock measures that time.
  package static let longestGap: UInt64 = 86400 * 1_000_000_000

  /// The latest time of the wall clock that was ever seen.
  package var wall: Timestamp
  /// The identity of the boot. Empty where it is not known.
  package var boot: String
  /// Nanoseconds since that boot.
  package var sinceBoot: UInt64
  /// How much time the store has seen pass, in nanoseconds.
  package var lived: UInt64

  package init(wall: Timestamp, boot: String, sinceBoot: UInt64, lived: UInt64) {
    self.wall = wall
    self.boot = boot
    self.sinceBoot = sinceBoot
    self.lived = lived
  }

  /// A clock that starts now.
  package init(beginning now: ClockReading) {
    self.init(wall: now.wall, boot: now.boot, sinceBoot: now.sinceBoot, lived: 0)
  }

  /// The clock at the time `now`. Within one boot, the time passed is known exactly. Between two boots, it is what the
  /// wall clock says since the latest time ever seen, but one day at most. So a wrong clock can only make gc keep
  /// things longer.
  package func advanced(to now: ClockReading) -> LivedClock {
    let passed: UInt64
    if !boot.isEmpty, boot == now.boot {
      passed = now.sinceBoot > sinceBoot ? now.sinceBoot - sinceBoot : 0
    } else {
      passed = min(LivedClock.nanoseconds(from: wall, to: now.wall), LivedClock.longestGap)
    }
    let (sum, overflow) = lived.addingReportingOverflow(passed)
    return LivedClock(
      wall: max(wall, now.wall), boot: now.boot, sinceBoot: now.sinceBoot, lived: overflow ? lived : sum)
  }

  /// Seconds that the store has seen pass, rounded up. What comes now is counted from then.
  package var seconds: UInt64 { lived / 1_000_000_000 + (lived % 1_000_000_000 == 0 ? 0 : 1) }

  /// Whole seconds that have passed since `then`, a value of `seconds`. Zero when `then` is later.
  package func age(of then: UInt64) -> UInt64 {
    let now = lived / 1_000_000_000
    return now > then ? now - then : 0
  }

  /// How many seconds are left until something that came at `then` is `time` seconds old. Nil when it is.
  package func timeLeft(since then: UInt64, of time: UInt64) -> UInt64? {
    let (end, overflow) = then.addingReportingOverflow(time)
    let now = lived / 1_000_000_000
    return overflow || end > now ? end - min(now, end) : nil
  }

  /// Nanoseconds from `start` to `end`. Zero when `end` is not after `start`, and `longestGap` when they are very far
  /// apart.
  private static func nanoseconds(from start: Timestamp, to end: Timestamp) -> UInt64 {
    guard end > start else { return 0 }
    let (seconds, overflow) = end.seconds.subtractingReportingOverflow(start.seconds)
    if overflow || seconds > 1 << 32 { return longestGap }
    return UInt64(seconds * 1_000_000_000 + Int64(end.nanoseconds) - Int64(start.nanoseconds))
  }
}
