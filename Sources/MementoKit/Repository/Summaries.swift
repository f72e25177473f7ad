// What saves, restores, undo and redo return, as plain values that a caller can print in any form.

/// What a save did.
public struct SaveSummary: Equatable, Sendable {
  /// The snapshot that was made, or the one that the folder still equals.
  public var snapshot: Snapshot
  /// The snapshot that the name meant before; nil when the name is new or the save has no name.
  public var replaced: SnapshotID?
  /// The changes since the position before the save.
  public var changes: ChangeCounts
  /// Bytes of files that were read.
  public var bytesRead: UInt64
  /// Bytes by which the store has grown.
  public var bytesStored: UInt64
  /// The paths that could not be saved, and notes.
  public var problems: [Problem]
  /// False for a dry run, which writes nothing.
  public var isCommitted: Bool
  /// The folder equals the snapshot at its position, and the save has neither a name nor a message. No snapshot was
  /// made, and `snapshot` is the one at the position.
  public var isUnchanged = false
  /// The paths that changed since the position; nil when the options did not ask for them.
  public var listed: ChangeList?
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

  /// The action as a word.
  public var description: String { kind.rawValue }

  /// The path does not exist and is made.
  public static let create = RestoreAction(.create)
  /// The path exists and gets other content.
  public static let replace = RestoreAction(.replace)
  /// The snapshot does not have the path, so it is removed.
  public static let remove = RestoreAction(.remove)
  /// Only the mode, owner, time or attributes change.
  public static let metadata = RestoreAction(.metadata)
}

/// One step of a restore, for a dry run.
public struct PlannedChange: Equatable, Sendable {
  /// What the restore does to the path.
  public var action: RestoreAction
  /// The path, relative to the folder.
  public var path: BytePath
  /// Bytes to write.
  public var bytes: UInt64
}

/// How many folders a restore has changed. Files in them are counted elsewhere.
public struct FolderCounts: Equatable, Sendable {
  /// Folders that were made.
  public var created = 0
  /// Folders that were removed.
  public var removed = 0
  /// Folders whose mode, owner or attributes changed.
  public var metadata = 0
  /// Folders of which only the time changed.
  public var times = 0

  /// Counts no folders.
  public init() {}
}

/// What a restore did, or would do if `isCommitted` is false. Links, fifos and devices count as files.
public struct RestoreSummary: Equatable, Sendable {
  /// The snapshot that was restored.
  public var snapshot: Snapshot
  /// The snapshot that saved the folder before the restore; nil when the folder had no unsaved changes.
  public var `guard`: Snapshot?
  /// Files that were made.
  public var created: Int
  /// Files whose content changed.
  public var replaced: Int
  /// Files that were removed.
  public var removed: Int
  /// Files of which only mode, owner, time or attributes changed.
  public var metadata: Int
  /// Bytes of content in files that were made or replaced.
  public var bytesWritten: UInt64
  /// Bytes in files that were made and share their blocks with a file of the folder, so that they take no space.
  public var bytesShared: UInt64 = 0
  /// Files that appeared during the restore and were moved aside; the paths where they are now.
  public var rescued: [BytePath]
  /// The paths that could not be restored fully, and notes.
  public var problems: [Problem]
  /// The steps of a dry run; empty otherwise.
  public var plan: [PlannedChange]
  /// False for a dry run, which changes nothing.
  public var isCommitted: Bool
  /// The counts of folders, which are not part of the counts above.
  public var folders = FolderCounts()
}

/// A step that undo or redo went over.
public struct MovedStep: Equatable, Sendable {
  /// The operation of the step.
  public var operation: HistoryOperation
  /// The name that the step was saved under.
  public var name: String?
  /// The snapshot of the step.
  public var snapshot: SnapshotID
  /// Whether the step holds unsaved changes, which undo has just saved.
  public var isUnsaved: Bool
}

/// What undo or redo did.
public struct MoveSummary: Equatable, Sendable {
  /// What was restored in the folder.
  public var restore: RestoreSummary
  /// The steps that were passed, in order.
  public var steps: [MovedStep]
  /// The names of the snapshot where the folder is now.
  public var names: [String]
}
