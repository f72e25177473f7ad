// Which blobs are needed: everything that can be reached from a set of snapshots.

internal import MementoStore

/// Reads each tree and each list once, however many snapshots share them. Depth and number of entries are bounded by memory
/// for ids, not by recursion.
struct Reachability {
  private var check: SnapshotCheck
  private var seen: Set<ObjectID> = []

  init(_ repository: Repository, monitor: any Monitor = SilentMonitor()) {
    let index = repository.store.index
    check = SnapshotCheck(repository.store, monitor: monitor) { (id, length) throws(StoreError) in
      try index.presence(of: id, length: length)
    }
  }

  /// All that was added.
  var needed: BlobSet { check.blobs }
  var snapshots: Int { seen.count }

  /// Adds a snapshot and everything below it; throws at the first thing that is missing or damaged.
  mutating func add(_ snapshot: ObjectID) throws(StoreError) {
    guard seen.insert(snapshot).inserted else { return }
    check.atDamage = .stop
    _ = try check.check(snapshot)
  }

  /// Adds a snapshot and everything below it that can be found. False when something is missing or damaged; throws what
  /// keeps it from being looked at.
  mutating func addWhatIsThere(_ snapshot: ObjectID) throws(StoreError) -> Bool {
    guard seen.insert(snapshot).inserted else { return true }
    check.atDamage = .passOver
    let outcome = try check.check(snapshot)
    return outcome.messages.isEmpty && outcome.tree == nil
  }
}
