// Reads snapshot records for a walk back through history. Keeps the last few, because two steps of a walk look at each.

internal import MementoStore

/// Used by one thread.
final class RecordReader {
  private static let limit = 8
  private let repository: Repository
  private var last: [StoredSnapshot] = []
  /// Records that were read together, for the steps that are looked at next.
  private var known: [ObjectID: SnapshotRecord] = [:]

  init(_ repository: Repository) {
    self.repository = repository
  }

  /// Keeps these records, in the place of those of the last call.
  func keep(_ records: [ObjectID: SnapshotRecord]) {
    known = records
  }

  private func remembered(_ id: ObjectID) -> SnapshotRecord? {
    known[id] ?? last.last { $0.id == id }?.record
  }

  /// The record of a snapshot that must be there.
  func record(_ id: ObjectID) throws(RepositoryError) -> SnapshotRecord {
    if let known = remembered(id) { return known }
    let record = try translating { () throws(StoreError) in try SnapshotRecord.read(id, from: repository.store) }
    if last.count == RecordReader.limit { last.removeFirst() }
    last.append(StoredSnapshot(id, record))
    return record
  }

  /// The record of a snapshot; nil when gc has removed it, so that history ends there.
  func kept(_ id: ObjectID) throws(RepositoryError) -> SnapshotRecord? {
    if let known = remembered(id) { return known }
    return try repository.isStored(id) ? try record(id) : nil
  }
}
