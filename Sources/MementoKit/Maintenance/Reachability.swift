// Which blobs are needed: everything that can be reached from a set of snapshots.

internal import MementoStore

struct Reachability {
  /// So many records of one tree are kept, beside those that a state or a step names.
  private static let longestChain = 1000

  /// What a walk does where something is missing or damaged.
  private enum AtDamage {
    /// It ends.
    case stop
    /// It goes on. What could not be looked at ends it all the same.
    case passOver
  }

  private struct Needed: SnapshotVisitor {
    let index: Index
    var atDamage = AtDamage.stop

    func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
      try index.presence(of: chunk, length: length)
    }

    func meet(_ fault: SnapshotFault) throws(StoreError) {
      let error = fault.error
      if atDamage == .stop || !error.isDamage { throw error }
    }
  }

  private let store: Store
  private var walker: SnapshotWalker<Needed>
  private var seen: Set<ObjectID> = []
  /// The parents of what was added, each with the tree of its child.
  private var parents: [(id: ObjectID, tree: ObjectID)] = []

  init(_ repository: Repository, monitor: any Monitor = SilentMonitor()) {
    store = repository.store
    walker = SnapshotWalker(store, monitor: monitor, visitor: Needed(index: store.index))
  }

  /// All that was added.
  var needed: BlobSet { walker.blobs }

  /// Adds a snapshot and everything below it; throws at the first thing that is missing or damaged. Called before what passes
  /// damage over.
  mutating func add(_ snapshot: ObjectID) throws(StoreError) {
    guard seen.insert(snapshot).inserted else { return }
    walker.visitor.atDamage = .stop
    noteParent(try walker.walk(snapshot).record)
  }

  /// Adds a snapshot and everything below it that can be found. False when something is missing or damaged; throws what
  /// keeps it from being looked at.
  mutating func addWhatIsThere(_ snapshot: ObjectID) throws(StoreError) -> Bool {
    guard seen.insert(snapshot).inserted else { return true }
    walker.visitor.atDamage = .passOver
    let findings = try walker.walk(snapshot)
    noteParent(findings.record)
    return findings.isWhole
  }

  private mutating func noteParent(_ record: SnapshotRecord?) {
    if let parent = record?.parent, let tree = record?.tree { parents.append((parent, tree)) }
  }

  /// Adds the records that others have replaced. A save of what is at the position already takes the place of the step. The
  /// record that had the step holds the same tree, and is its parent: it is kept for its name and its message, and costs no
  /// more than these. Nothing promises that a parent is still whole, so what is missing or damaged is passed over.
  mutating func addReplaced() throws(StoreError) {
    walker.visitor.atDamage = .passOver
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
        _ = try walker.walk(id)
        next = record.parent
      }
    }
    parents = []
  }
}
