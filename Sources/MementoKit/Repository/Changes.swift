// What status found in the folder.

internal import MementoStore

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
  /// The interrupted restore that is pending; nil when there is none.
  public var interruptedRestore: InterruptedRestore?
}

/// A restore that was interrupted. `continueRestore` finishes it, `abortRestore` takes it back.
public struct InterruptedRestore: Equatable, Sendable {
  /// The snapshot that it was restoring.
  public var snapshot: SnapshotID
  /// The snapshot of the folder before it; nil when the folder was not saved then.
  public var before: SnapshotID?
  /// The only paths that it was to change; all when empty.
  public var paths: [BytePath]
}

extension InterruptedRestore {
  init?(_ pending: PendingRestore?) {
    guard let pending else { return nil }
    snapshot = SnapshotID(pending.target)
    before = pending.before.map { SnapshotID($0) }
    paths = pending.paths.map { BytePath($0) }
  }
}
