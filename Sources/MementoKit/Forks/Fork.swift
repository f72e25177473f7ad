// A folder beside the main one that shares its store, as a program sees it.

/// A working folder that shares the store of another one. It has steps of its own, which undo and redo go along, and a
/// position; names, content and what gc keeps belong to all folders of the store.
public struct Fork: Equatable, Sendable {
  /// Eight hexadecimal digits, the same for as long as the fork is known.
  public var id: String
  /// Where the folder was when the fork last changed something.
  public var folder: BytePath
  /// What is at that place.
  public var presence: Presence
  /// The snapshot at which the folder is. Nil when the fork was interrupted before it was filled.
  public var position: SnapshotID?
  /// The names of that snapshot, sorted.
  public var names: [String]
  /// The number of its steps.
  public var steps: Int
  /// Whether a restore of it was interrupted.
  public var isRestorePending: Bool

  /// Whether the folder is there and is this fork.
  public var isThere: Bool { presence == .there }

  /// What is at the place of a fork.
  public enum Presence: Equatable, Sendable {
    /// The fork.
    case there
    /// The fork, whose `.memento/store` leads to another place than the store: the store was moved.
    case astray
    /// Something else, or nothing. Also when the fork was moved and has changed nothing since.
    case missing
    /// Nobody knows, for this reason.
    case unreadable(String)
  }
}

/// What making a fork has done.
public struct ForkSummary: Sendable {
  /// The folder, as an absolute path.
  public var folder: BytePath
  /// Its id; nil for a dry run that would make it.
  public var id: String?
  /// What was written into the folder.
  public var restore: RestoreSummary
}

/// What forgetting a fork has done.
public struct ForgottenFork: Equatable, Sendable {
  /// The fork as it was.
  public var fork: Fork
  /// Steps that left with it. gc keeps their snapshots as it keeps all that have no name.
  public var stepsRemoved: Int
  /// False for a dry run.
  public var isCommitted: Bool
}
