// How much time a store has seen pass. The time of day can jump by years; what gc drops after a time must not go by it.

package import MementoSystem

/// The time that a store has seen pass, as it was when `refs` was written last.
package struct LivedClock: Equatable, Sendable {
  /// The longest time that counts between two starts of the machine, in nanoseconds: there only the time of day tells.
  package static let longestGap: UInt64 = 86400 * 1_000_000_000

  /// The latest time of day that was seen.
  package var wall: Timestamp
  /// Empty where it is not known.
  package var boot: String
  package var sinceBoot: UInt64
  /// Nanoseconds that have passed.
  package var lived: UInt64

  package init(wall: Timestamp, boot: String, sinceBoot: UInt64, lived: UInt64) {
    self.wall = wall
    self.boot = boot
    self.sinceBoot = sinceBoot
    self.lived = lived
  }

  /// A clock that begins now.
  package init(beginning now: ClockReading) {
    self.init(wall: now.wall, boot: now.boot, sinceBoot: now.sinceBoot, lived: 0)
  }

  /// Since the same start of the machine, what has passed is known exactly. Between two starts it is what the time of day
  /// says, from the latest time ever seen and a day at most: a clock that goes wrong makes things stay longer, never go
  /// earlier.
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

  /// Zero when `end` is not after `start`.
  private static func nanoseconds(from start: Timestamp, to end: Timestamp) -> UInt64 {
    guard end > start else { return 0 }
    let (seconds, overflow) = end.seconds.subtractingReportingOverflow(start.seconds)
    if overflow || seconds > 1 << 32 { return longestGap }
    return UInt64(seconds * 1_000_000_000 + Int64(end.nanoseconds) - Int64(start.nanoseconds))
  }
}
