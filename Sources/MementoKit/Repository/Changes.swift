// What a look at the folder has found.

/// Where the folder is, and what changed since.
public struct StatusSummary: Equatable, Sendable {
  /// The snapshot at the position; nil when nothing has been saved.
  public var at: Snapshot?
  /// The names that mean it now.
  public var names: [String]
  /// Sorted by path.
  public var changes: [Change]
  /// How many of them are no folders.
  public var counts: ChangeCounts
  /// Notes included.
  public var problems: [Problem]
  /// A restore was interrupted.
  public var isRestorePending: Bool
}
