// A snapshot by itself: its record, its names, and what it changed.

internal import MementoStore

/// A snapshot and what is known about it.
public struct SnapshotDetails: Sendable {
  /// The record.
  public let snapshot: Snapshot
  /// The names that mean it now, sorted.
  public let names: [String]
  /// Whether the folder is at it.
  public let isCurrent: Bool
  /// What it changed against its parent; nil when it has none, or when that is not stored any more.
  public let comparison: Comparison?
  /// Paths that it does not hold although they were there.
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
      snapshot: Snapshot(found), names: refs.states.names(of: found.id),
      isCurrent: refs.timeline.current?.snapshot == found.id, comparison: comparison,
      unrecorded: try SnapshotLists(repository).unrecorded(of: found.record))
  }
}
