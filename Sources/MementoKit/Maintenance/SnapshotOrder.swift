// In which order gc marks the snapshots that it keeps whatever the rules say: the newest first. What it marks first stays
// where reading is fast, and of each path it meets newer versions before older ones.

internal import MementoStore
internal import MementoSystem

enum SnapshotOrder {
  /// So many records are in memory at once.
  private static let recordsAtOnce = 4096

  /// The position first, then the others, from the newest save on. Those whose record cannot be read come last: the order
  /// promises nothing, and the mark finds out what is wrong with them.
  static func newestFirst(_ snapshots: Set<ObjectID>, position: ObjectID?, in store: Store) -> [ObjectID] {
    let ids = snapshots.sorted()
    var times: [ObjectID: Timestamp] = [:]
    for start in stride(from: 0, to: ids.count, by: recordsAtOnce) {
      let some = Array(ids[start..<min(start + recordsAtOnce, ids.count)])
      for (id, bytes) in zip(some, records(some, in: store)) {
        times[id] = (try? SnapshotRecord.decode(bytes, id))?.time ?? .distantPast
      }
    }
    return ids.sorted { left, right in
      if (left == position) != (right == position) { return left == position }
      let (one, two) = (times[left] ?? .distantPast, times[right] ?? .distantPast)
      return one == two ? left < right : one > two
    }
  }

  /// The bytes of records; empty for those that cannot be read.
  private static func records(_ ids: [ObjectID], in store: Store) -> [[UInt8]] {
    do throws(StoreError) {
      return try store.read(ids)
    } catch {
      // See above.
      return ids.map { (try? store.read($0)) ?? [] }
    }
  }
}
