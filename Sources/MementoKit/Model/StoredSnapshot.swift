// A snapshot as the store has it. `Snapshot` is what callers of the library see of it.

internal import MementoStore

struct StoredSnapshot: Equatable, Sendable {
  let id: ObjectID
  let record: SnapshotRecord

  init(_ id: ObjectID, _ record: SnapshotRecord) {
    self.id = id
    self.record = record
  }

  /// The tree of a folder; nil for a single value.
  var tree: ObjectID? { record.tree }
}

extension Snapshot {
  init(_ stored: StoredSnapshot) {
    self.init(stored.id, stored.record)
  }
}
