// Shows one snapshot: its record, its names, and what it changed.

internal import MementoStore

/// A snapshot and what is known about it.
public struct SnapshotDetails: Sendable {
  /// The record of the snapshot.
  public let snapshot: Snapshot
  /// The names of the snapshot now, sorted.
  public let names: [String]
  /// What the user has noted beside the snapshot; nil for nothing.
  public let note: String?
  /// Whether the folder is at this snapshot.
  public let isCurrent: Bool
  /// What the snapshot changed against its parent; nil when it has no parent, or when gc has removed the parent.
  public let comparison: Comparison?
  /// Paths that existed in the folder and that the save could not record.
  public let unrecorded: [Problem]
}

struct SnapshotInspection {
  let repository: Repository

  func run(_ revision: Revision) throws(RepositoryError) -> SnapshotDetails {
    let refs = try repository.readRefs()
    let found = try RevisionResolver(repository, refs).resolve(revision)
    let comparison = try CompareOperation(repository: repository, monitor: SilentMonitor())
      .parentComparison(of: found, refs)
    return SnapshotDetails(
      snapshot: Snapshot(found), names: refs.states.names(of: found.id), note: refs.notes[found.id],
      isCurrent: refs.timeline.current?.snapshot == found.id, comparison: comparison,
      unrecorded: try SnapshotLists(repository).unrecorded(of: found.record))
  }
}
