// The entries of the history that `log` returns.

internal import MementoStore

/// The operation that made a step of the history. New operations may be added: a `switch` needs a `default`.
public struct HistoryOperation: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case save
    case restore
    case guarded = "guard"
  }

  private let kind: Kind

  private init(kind: Kind) {
    self.kind = kind
  }

  /// The operation as a word: `save`, `restore` or `guard`.
  public var description: String { kind.rawValue }

  /// The user saved the folder.
  public static let save = HistoryOperation(kind: .save)
  /// A snapshot was restored.
  public static let restore = HistoryOperation(kind: .restore)
  /// The folder was saved before a restore changed it.
  public static let guarded = HistoryOperation(kind: .guarded)

  init(_ operation: StepOperation) {
    switch operation {
    case .save: self = .save
    case .restore: self = .restore
    case .guarded: self = .guarded
    }
  }
}

/// Why `log` lists an entry only with `showsAll`. New marks may be added: a `switch` needs a `default`.
public struct LogMark: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case undone
    case replaced
    case deleted
    case elsewhere
    case named
  }

  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// The mark as a word.
  public var description: String { kind.rawValue }

  /// The snapshot is not on the timeline any more: a save after an undo dropped its step, or the step is too old.
  public static let undone = LogMark(.undone)
  /// The value has no name any more.
  public static let replaced = LogMark(.replaced)
  /// A name of the snapshot was deleted.
  public static let deleted = LogMark(.deleted)
  /// The snapshot is a step of another folder that shares the store.
  public static let elsewhere = LogMark(.elsewhere)
  /// The snapshot was never a step of the folder, but has a name: it came from a remote, for example.
  public static let named = LogMark(.named)
}

/// One entry of the history.
public struct LogEntry: Equatable, Sendable {
  /// The operation that made the entry.
  public var operation: HistoryOperation
  /// When the folder came to this state.
  public var time: SnapshotTime
  /// Whether the folder is at this entry.
  public var isCurrent: Bool
  /// The names of the snapshot now.
  public var names: [String]
  /// The snapshot of this step.
  public var snapshot: Snapshot
  /// How many entries the step changed in the folder; nil when the state before it is damaged or gone.
  public var counts: ChangeCounts?
  /// Why the entry is not in the plain history; empty unless `LogOptions.showsAll` is set.
  public var marks: [LogMark] = []
  /// The names that the snapshot had when they were deleted.
  public var deletedNames: [String] = []
  /// The changes since the entry before, sorted by path. Nil without `LogOptions.withChanges`, and when the state
  /// before it is gone.
  public var changes: [SizedChange]?
  /// Whether undo has taken the step back, and redo can do it again.
  public var isTakenBack = false
  /// The command that `run` ran before it saved this step; nil where none is known.
  public var command: CommandRun?
  /// What a restore restored, and how much that changed; nil where nothing is known of it.
  public var restored: RestoredState?
  /// What the user has noted beside the snapshot; nil for nothing.
  public var note: String?
  /// The snapshot before it, with which its changes compare; nil for the first one.
  var before: SnapshotID?
}
