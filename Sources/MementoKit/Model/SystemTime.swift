// Gives the model the clock of the system, which the model itself does not use.

internal import MementoSystem

extension SnapshotTime {
  /// The current time.
  public static var now: SnapshotTime { SnapshotTime(Clock.now()) }
}

extension DateReader {
  /// Reads dates with the clock of the system. Without `zoneOffset`, dates are in UTC.
  public init(zoneOffset: @escaping @Sendable (Int64) -> Int = { _ in 0 }) {
    self.init(now: { .now }, zoneOffset: zoneOffset)
  }
}
