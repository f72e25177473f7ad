// A point in time, to the nanosecond. This module reads no clock and makes no system call.

/// A point in time of a file system: seconds since 1970 (negative before) and nanoseconds (0 to 999,999,999).
package struct Timestamp: Hashable, Comparable, Sendable {
  package var seconds: Int64
  package var nanoseconds: UInt32

  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  /// Whether `nanoseconds` is in its range. To utimensat(2), some values outside it mean "now" or "keep the time".
  package var isValid: Bool { nanoseconds < 1_000_000_000 }

  package static let distantPast = Timestamp(seconds: .min, nanoseconds: 0)

  /// This time moved by whole seconds. A result outside the range becomes the first or last second of it.
  package func adding(seconds delta: Int64) -> Timestamp {
    let (sum, overflow) = seconds.addingReportingOverflow(delta)
    return Timestamp(
      seconds: overflow ? (delta > 0 ? .max : .min) : sum, nanoseconds: nanoseconds)
  }
}
