// The clock of the system, which the model does not ask.

internal import MementoSystem

extension SnapshotTime {
  /// The time of day.
  public static var now: SnapshotTime { SnapshotTime(Clock.now()) }
}

extension DateReader {
  /// With the clock of the system; without a zone: UTC.
  public init(zoneOffset: @escaping @Sendable (Int64) -> Int = { _ in 0 }) {
    self.init(now: { .now }, zoneOffset: zoneOffset)
  }
}
