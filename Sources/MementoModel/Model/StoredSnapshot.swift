// A snapshot as the store has it. `Snapshot` is what callers of the library see of it.

package struct StoredSnapshot: Equatable, Sendable {
  package let id: ObjectID
  package let record: SnapshotRecord

  package init(_ id: ObjectID, _ record: SnapshotRecord) {
    self.id = id
    self.record = record
  }

  /// The tree of a folder; nil for a single value.
  package var tree: ObjectID? { record.tree }
}

extension Snapshot {
  package init(_ stored: StoredSnapshot) {
    self.init(stored.id, stored.record)
  }
}
