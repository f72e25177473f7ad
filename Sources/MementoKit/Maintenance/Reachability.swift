// Which blobs are needed: everything that can be reached from a set of snapshots.

internal import MementoStore
internal import MementoSystem

struct Reachability {
  /// So many records of one tree are kept, beside those that a state or a step names.
  private static let longestChain = 1000

  /// What a walk does where something is missing or damaged.
  private enum AtDamage {
    /// It ends.
    case stop
    /// It goes on where something is certainly missing or damaged. What the system could not read ends it all the same:
    /// it may be whole, with all that is below it.
    case passOver
  }

  private struct Needed: SnapshotVisitor {
    let index: Index
    var atDamage = AtDamage.stop

    func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
      try index.presence(of: chunk, length: length)
    }

    func visit(knownChunk chunk: ObjectID, number: Int, in tree: ObjectID) -> Bool { true }

    func meet(_ fault: SnapshotFault) throws(StoreError) {
      let error = fault.error
      if atDamage == .stop || !Reachability.isCertain(error) { throw error }
    }
  }

  /// Whether an error says that a blob is not there or is not what it was. A read that failed says neither.
  static func isCertain(_ error: StoreError) -> Bool {
    if case .system(_, _, let reason) = error { return reason == .notFound }
    return error.isDamage
  }

  private let store: Store
  private var walker: SnapshotWalker<Needed>
  private var seen: Set<ObjectID> = []
  /// The parents of what was added, each with the tree of its child.
  private var parents: [(id: ObjectID, tree: ObjectID)] = []

  init(_ repository: Repository, monitor: any Monitor = SilentMonitor()) {
    store = repository.store
    walker = SnapshotWalker(store, monitor: monitor, keepsPaths: true, visitor: Needed(index: store.index))
  }

  /// All that was added.
  var needed: BlobSet { walker.blobs }

  /// The number of blobs that were added.
  var count: Int { walker.blobs.count }

  /// Of each blob that was added: where in a snapshot it was first met.
  var paths: ContiguousArray<PathKey> { walker.paths }

  /// All that was added. Nothing can be added any more.
  mutating func release() -> BlobSet { walker.release() }

  /// Adds a snapshot and everything below it; throws at the first thing that is missing or damaged.
  mutating func add(_ snapshot: ObjectID) throws(StoreError) {
    guard seen.insert(snapshot).inserted else { return }
    walker.visitor.atDamage = .stop
    let findings = try walker.walk(snapshot)
    // What was passed over before is not looked at again, and does not throw.
    if !findings.isWhole {
      throw findings.faults.first?.error
        ?? .damaged(file: "snapshot \(snapshot.short)", reason: "a part of it is missing or damaged")
    }
    noteParent(findings.record)
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
          if Reachability.isCertain(error) { break }
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
