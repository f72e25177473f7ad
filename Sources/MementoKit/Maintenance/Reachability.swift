// Which blobs are needed: everything that can be reached from a set of snapshots.

internal import MementoStore

/// Reads each tree and each list once, however many snapshots share them. Depth and number of entries are bounded by memory
/// for ids, not by recursion.
struct Reachability {
  /// So many records of one tree are kept, beside those that a state or a step names.
  private static let longestChain = 1000

  private let store: Store
  private var check: SnapshotCheck
  private var seen: Set<ObjectID> = []
  /// The parents of what was added, each with the tree of its child.
  private var parents: [(id: ObjectID, tree: ObjectID)] = []

  init(_ repository: Repository, monitor: any Monitor = SilentMonitor()) {
    store = repository.store
    let index = store.index
    check = SnapshotCheck(store, monitor: monitor) { (id, length) throws(StoreError) in
      try index.presence(of: id, length: length)
    }
  }

  /// All that was added.
  var needed: BlobSet { check.blobs }

  /// Adds a snapshot and everything below it; throws at the first thing that is missing or damaged.
  mutating func add(_ snapshot: ObjectID) throws(StoreError) {
    guard seen.insert(snapshot).inserted else { return }
    check.atDamage = .stop
    noteParent(try check.check(snapshot).record)
  }

  /// Adds a snapshot and everything below it that can be found. False when something is missing or damaged; throws what
  /// keeps it from being looked at.
  mutating func addWhatIsThere(_ snapshot: ObjectID) throws(StoreError) -> Bool {
    guard seen.insert(snapshot).inserted else { return true }
    check.atDamage = .passOver
    let outcome = try check.check(snapshot)
    noteParent(outcome.record)
    return outcome.messages.isEmpty && outcome.tree == nil
  }

  private mutating func noteParent(_ record: SnapshotRecord?) {
    if let parent = record?.parent, let tree = record?.tree { parents.append((parent, tree)) }
  }

  /// Adds the records that others have replaced. A save of what is at the position already takes the place of the step. The
  /// record that had the step holds the same tree, and is its parent: it is kept for its name and its message, and costs no
  /// more than these. Nothing promises that a parent is still whole, so what is missing or damaged is passed over; `add` is
  /// called before this.
  mutating func addReplaced() throws(StoreError) {
    check.atDamage = .passOver
    for (parent, tree) in parents {
      var next: ObjectID? = parent
      for _ in 0..<Reachability.longestChain {
        guard let id = next, !seen.contains(id), try store.index.contains(id) else { break }
        let record: SnapshotRecord
        do throws(StoreError) {
          record = try SnapshotRecord.read(id, from: store)
        } catch {
          if error.isDamage { break }
          throw error
        }
        guard record.tree == tree else { break }
        seen.insert(id)
        _ = try check.check(id)
        next = record.parent
      }
    }
    parents = []
  }
}
