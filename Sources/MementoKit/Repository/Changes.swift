// What status found in the folder.

/// Where the folder is, and what has changed since.
public struct StatusSummary: Equatable, Sendable {
  /// The snapshot at the position; nil when nothing has been saved.
  public var at: Snapshot?
  /// The names of that snapshot now.
  public var names: [String]
  /// The paths that changed, sorted.
  public var changes: [Change]
  /// How many files, links, fifos and devices changed; folders do not count.
  public var counts: ChangeCounts
  /// The paths that could not be read, and notes.
  public var problems: [Problem]
  /// Whether an interrupted restore is pending.
  public var isRestorePending: Bool
  /// Since when everything was read that was in the store at that time: see `Repository.lastVerified`.
  public var lastVerified: SnapshotTime?
}
