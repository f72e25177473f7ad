// What snapshots here need, so that a remote can get what it lacks of it.

internal import MementoStore

/// Throws at the first thing that is missing or damaged: what is pushed is whole.
struct NeededForPush: SnapshotVisitor {
  let index: Index

  func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
    try index.presence(of: chunk, length: length)
  }

  func meet(_ fault: SnapshotFault) throws(StoreError) {
    throw fault.error
  }

  /// All blobs below some snapshots.
  static func blobs(
    of snapshots: [ObjectID], in store: Store, monitor: any Monitor
  ) throws(StoreError) -> BlobSet {
    var walker = SnapshotWalker(store, monitor: monitor, visitor: NeededForPush(index: store.index))
    for snapshot in snapshots {
      let findings = try walker.walk(snapshot)
      guard findings.isWhole else {
        throw findings.faults.first?.error
          ?? .damaged(file: "snapshot \(snapshot.short)", reason: "a part of it is missing or damaged")
      }
    }
    return walker.release()
  }
}
