// Follows snapshots down to their chunks, and puts down everything that is hurt.

internal import MementoStore

struct SnapshotCheck {
  /// What is hurt in one snapshot.
  struct Outcome {
    /// What has no path.
    var messages: [String] = []
    /// The tree, if something in it is hurt: see `hurt`.
    var tree: ObjectID?
  }

  /// Passes nothing over, and ends at nothing.
  private struct Damage: SnapshotVisitor {
    var hurt: [ObjectID: TreeDamage] = [:]
    let presence: (ObjectID, _ length: UInt64) throws(StoreError) -> BlobPresence

    func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
      try presence(chunk, length)
    }

    /// The places where it is met put it down.
    func meet(_ fault: SnapshotFault) {}

    mutating func visit(hurtTree id: ObjectID, _ damage: TreeDamage) { hurt[id] = damage }
  }

  private var walker: SnapshotWalker<Damage>
  /// Lists of links and of unrecorded paths that were understood.
  private var readable: Set<[FileContent?]> = []
  private let store: Store

  /// `bad`: blobs that no pack holds whole. `presence`: whether a pack holds a chunk.
  init(
    _ store: Store, monitor: any Monitor, bad: Set<ObjectID> = [],
    presence: @escaping (ObjectID, _ length: UInt64) throws(StoreError) -> BlobPresence
  ) {
    self.store = store
    walker = SnapshotWalker(store, monitor: monitor, bad: bad, visitor: Damage(presence: presence))
  }

  /// Trees that have something hurt in them, with all that is below them.
  var hurt: [ObjectID: TreeDamage] { walker.visitor.hurt }

  /// Throws `.cancelled`, and what `presence` throws; nothing else.
  mutating func check(_ id: ObjectID) throws(StoreError) -> Outcome {
    let findings = try walker.walk(id)
    var outcome = Outcome(messages: findings.faults.map(\.message), tree: findings.hurtTree)
    if let record = findings.record, findings.faults.isEmpty, let message = problem(inListsOf: record) {
      outcome.messages.append(message)
    }
    return outcome
  }

  /// Why a restore would not understand the lists beside the tree, which are whole; nil when it would.
  private mutating func problem(inListsOf record: SnapshotRecord) -> String? {
    let own = [record.links, record.unrecorded].map { $0?.content }
    if own.allSatisfy({ $0 == nil }) || readable.contains(own) { return nil }
    do throws(RepositoryError) {
      _ = try SnapshotLists(store).links(of: record)
      _ = try SnapshotLists(store).unrecorded(of: record)
      readable.insert(own)
      return nil
    } catch {
      return error.message
    }
  }
}
