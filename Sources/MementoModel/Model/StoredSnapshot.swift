// A snapshot as it is in the store. Callers of the library see it as a `Snapshot`.

/// A snapshot record with its id.
package struct StoredSnapshot: Equatable, Sendable {
  package let id: ObjectID
  package let record: SnapshotRecord

  package init(_ id: ObjectID, _ record: SnapshotRecord) {
    self.id = id
    self.record = record
  }

  /// The tree of the folder. Nil for a value.
  package var tree: ObjectID? { record.tree }
}

extension Snapshot {
  package init(_ stored: StoredSnapshot) {
    self.init(stored.id, stored.record)
  }
}
