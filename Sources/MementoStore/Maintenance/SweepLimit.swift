// How much a sweep may rewrite at once: so many bytes, or as much as the time allows.

/// The limits of one sweep. What is beyond them, the next sweep does.
package struct SweepLimit: Sendable {
  /// Bytes of the packs that are rewritten. Nil: any number.
  package var bytes: UInt64?
  /// Returns how many nanoseconds are left. Nil: as many as it takes.
  package var timeLeft: (@Sendable () -> UInt64)?

  package init(bytes: UInt64? = nil, timeLeft: (@Sendable () -> UInt64)? = nil) {
    self.bytes = bytes
    self.timeLeft = timeLeft
  }

  var isNone: Bool { bytes == nil && timeLeft == nil }

  func parts() -> Parts { Parts(self) }

  /// The sizes of the parts of a sweep.
  struct Parts {
    /// Of the first part, if no single pack is larger.
    static let first: UInt64 = 16 << 20

    private let limit: SweepLimit
    private var size = Parts.first
    private var spent: UInt64 = 0
    /// Nanoseconds a byte, as the last part took.
    private var cost: Double?
    private var before: UInt64?

    fileprivate init(_ limit: SweepLimit) {
      self.limit = limit
    }

    /// How many bytes the next part may have. Nil when there should be none, or none with a pack of `least` bytes.
    mutating func next(atLeast least: UInt64) -> UInt64? {
      var most = size
      if let bytes = limit.bytes {
        guard spent + least <= bytes else { return nil }
        most = min(most, bytes - spent)
      }
      if let timeLeft = limit.timeLeft {
        let left = timeLeft()
        if left == 0 { return nil }
        before = left
        // Of the first part nobody knows how long it takes.
        if let cost, cost > 0 {
          let possible = Double(left) / cost
          if possible < Double(least) { return nil }
          most = UInt64(min(Double(most), possible))
        }
      }
      return most
    }

    /// Notes that a part of so many bytes is done.
    mutating func note(_ bytes: UInt64) {
      spent += bytes
      size = size > .max / 2 ? size : size * 2
      if let before, let timeLeft = limit.timeLeft {
        let left = timeLeft()
        cost = Double(before > left ? before - left : 0) / Double(max(bytes, 1))
      }
    }
  }
}
