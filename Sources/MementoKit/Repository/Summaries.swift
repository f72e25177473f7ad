// What saves, restores, undo and redo return: plain values that a caller can print in any form.

/// What a save did.
public struct SaveSummary: Equatable, Sendable {
  /// What was recorded.
  public var snapshot: Snapshot
  /// The snapshot that the name meant before; nil when the name is new or there is none.
  public var replaced: SnapshotID?
  /// Against the position before.
  public var changes: ChangeCounts
  /// Bytes of files that were read.
  public var bytesRead: UInt64
  /// Bytes that the store has grown by.
  public var bytesStored: UInt64
  /// Notes included.
  public var problems: [Problem]
  /// False for a dry run: nothing was written.
  public var isCommitted: Bool
  /// The folder is what the snapshot at the position says, and neither a name nor a message was given: no snapshot was made,
  /// and `snapshot` is that one.
  public var isUnchanged = false
}

/// What a restore does to one path. New actions may be added: a `switch` over actions needs a `default`.
public struct RestoreAction: Hashable, Sendable, CustomStringConvertible {
  /// What a plan says: in here they are all there are.
  enum Kind: String {
    case create
    case replace
    case remove
    case metadata
  }

  private let kind: Kind

  init(_ kind: Kind) {
    self.kind = kind
  }

  /// The word for it.
  public var description: String { kind.rawValue }

  /// It is not there, and is made.
  public static let create = RestoreAction(.create)
  /// It is there, and gets other content.
  public static let replace = RestoreAction(.replace)
  /// The snapshot does not have it.
  public static let remove = RestoreAction(.remove)
  /// Only mode, owner, time or attributes change.
  public static let metadata = RestoreAction(.metadata)
}

/// One step of a restore, for `--dry-run`.
public struct PlannedChange: Equatable, Sendable {
  /// What happens to it.
  public var action: RestoreAction
  /// Relative to the folder.
  public var path: BytePath
  /// Bytes that will be written.
  public var bytes: UInt64
}

/// How many folders a restore has changed; what is in them is counted apart.
public struct FolderCounts: Equatable, Sendable {
  /// Those that were not there.
  public var created = 0
  /// Those that are gone.
  public var removed = 0
  /// Those of which mode, owner or attributes changed.
  public var metadata = 0
  /// Those of which nothing but the time changed.
  public var times = 0

  /// None.
  public init() {}
}

/// What a restore did, or with `isCommitted` false would do. Files, links, fifos and devices are counted alike.
public struct RestoreSummary: Equatable, Sendable {
  /// What was restored.
  public var snapshot: Snapshot
  /// What the folder was before, when that had not been saved yet.
  public var `guard`: Snapshot?
  /// Those that were not there.
  public var created: Int
  /// Those whose content is another now.
  public var replaced: Int
  /// Those that are gone.
  public var removed: Int
  /// Those of which only mode, owner, time or attributes changed.
  public var metadata: Int
  /// Content of new and replaced files.
  public var bytesWritten: UInt64
  /// Content that appeared meanwhile and was put aside, with the place where it is now.
  public var rescued: [BytePath]
  /// Notes included.
  public var problems: [Problem]
  /// Filled for a dry run only.
  public var plan: [PlannedChange]
  /// False for a dry run: nothing was changed.
  public var isCommitted: Bool
  /// Folders, which are not counted above.
  public var folders = FolderCounts()
}

/// A step that undo or redo has passed.
public struct MovedStep: Equatable, Sendable {
  /// What had been done.
  public var operation: HistoryOperation
  /// The name it was saved under.
  public var name: String?
  /// What the folder was then.
  public var snapshot: SnapshotID
  /// Changes that had not been saved, and are now.
  public var isUnsaved: Bool
}

/// What undo or redo did.
public struct MoveSummary: Equatable, Sendable {
  /// What happened to the folder.
  public var restore: RestoreSummary
  /// In the order in which they were passed.
  public var steps: [MovedStep]
  /// The names that mean the snapshot where the folder is now.
  public var names: [String]
}
