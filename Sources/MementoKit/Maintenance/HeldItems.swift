// What a report of gc says of a snapshot that neither a name nor the position keeps.

internal import MementoStore
internal import MementoSystem

extension Retention.Item {
  /// The names that it lost, or else the name it was saved under.
  func names(in store: Store) -> [String] {
    if !names.isEmpty || reason == .unnamed { return names }
    // The name is only for the report, so a failure does not matter.
    guard let record = try? SnapshotRecord.read(snapshot, from: store) else { return [] }
    return record.name.map { [$0] } ?? []
  }
}

extension HeldSnapshot {
  /// `bytes`: what it takes beside all that is newer. `now`: from which on the time is counted that it has left.
  init(_ item: Retention.Item, bytes: UInt64, isWhole: Bool, now: Timestamp, in store: Store) {
    self.init(
      id: SnapshotID(item.snapshot), names: item.names(in: store), reason: item.reason, age: item.age,
      until: item.timeLeft.map { SnapshotTime(now.adding(seconds: Int64(clamping: $0))) }, bytes: bytes,
      isWhole: isWhole)
  }
}
