// A point in time, to the nanosecond. Pure: no clock, no system call.

/// A point in time of a file system: seconds since 1970 (negative before) and nanoseconds (0..<1,000,000,000).
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

  /// Some of the other numbers of nanoseconds mean "now" and "leave it" to utimensat(2).
  package var isValid: Bool { nanoseconds < 1_000_000_000 }

  package static let distantPast = Timestamp(seconds: .min, nanoseconds: 0)

  /// This time moved by whole seconds; stops at the ends of the range.
  package func adding(seconds delta: Int64) -> Timestamp {
    let (sum, overflow) = seconds.addingReportingOverflow(delta)
    return Timestamp(
      seconds: overflow ? (delta > 0 ? .max : .min) : sum, nanoseconds: nanoseconds)
  }
}
