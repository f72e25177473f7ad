// A line of history, as callers see it.

internal import MementoStore

/// What the folder went through at one step of its history. New operations may be added: a `switch` needs a `default`.
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

  /// The word for it: `save`, `restore` or `guard`.
  public var description: String { kind.rawValue }

  /// The user saved it.
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

/// Why an entry of the history is listed only when all are asked for. New marks may be added: a `switch` needs a `default`.
public struct LogMark: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case undone
    case replaced
    case deleted
  }

  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// The word for it.
  public var description: String { kind.rawValue }

  /// It is not on the timeline any more: a save after an undo left it behind, or it is too old.
  public static let undone = LogMark(.undone)
  /// It is a value that no name means any more.
  public static let replaced = LogMark(.replaced)
  /// A name that meant it was deleted.
  public static let deleted = LogMark(.deleted)
}

/// One line of history.
public struct LogEntry: Equatable, Sendable {
  /// What was done.
  public var operation: HistoryOperation
  /// When the folder came to this state.
  public var time: SnapshotTime
  /// Whether the folder is at this entry.
  public var isCurrent: Bool
  /// The names that mean this snapshot now.
  public var names: [String]
  /// What it was then.
  public var snapshot: Snapshot
  /// What the step changed in the folder; nil when that cannot be known, since what was before is damaged or gone.
  public var counts: ChangeCounts?
  /// Only with `LogOptions.showsAll`.
  public var marks: [LogMark] = []
  /// The names that meant it when they were deleted.
  public var deletedNames: [String] = []
  /// Since the entry before, sorted by path; only with `LogOptions.withChanges`, and nil when what was before is not kept
  /// any more.
  public var changes: [SizedChange]?
}
