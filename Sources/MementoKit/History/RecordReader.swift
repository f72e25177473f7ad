// Reads snapshot records for a walk back through history. Keeps the last few, because two steps of a walk look at each.

internal import MementoStore

/// Used by one thread.
final class RecordReader {
  private static let limit = 8
  private let repository: Repository
  private var last: [StoredSnapshot] = []

  init(_ repository: Repository) {
    self.repository = repository
  }

  /// The record of a snapshot that must be there.
  func record(_ id: ObjectID) throws(RepositoryError) -> SnapshotRecord {
    if let known = last.last(where: { $0.id == id }) { return known.record }
    let record = try translating { () throws(StoreError) in try SnapshotRecord.read(id, from: repository.store) }
    if last.count == RecordReader.limit { last.removeFirst() }
    last.append(StoredSnapshot(id, record))
    return record
  }

  /// The record of a snapshot; nil when gc has removed it, so that history ends there.
  func kept(_ id: ObjectID) throws(RepositoryError) -> SnapshotRecord? {
    if let known = last.last(where: { $0.id == id }) { return known.record }
    return try repository.isStored(id) ? try record(id) : nil
  }
}
