// What operations return: plain values that a caller can print in any form.

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

/// What a restore does to one path.
public enum RestoreAction: String, Sendable {
  case create
  case replace
  case remove
  /// Only mode, owner, time or attributes.
  case metadata
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

/// A state in a listing.
public struct ListedState: Equatable, Sendable {
  /// Unique in the store.
  public var name: String
  /// Whether the folder is at this snapshot.
  public var isCurrent: Bool
  /// What it means. Where `problem` says that it cannot be read, nothing but its id is known.
  public var snapshot: Snapshot
  /// Why it cannot be read, one line; nil when it can.
  public var problem: String?
  /// It was made by a later version, and is not damaged as far as this one can tell.
  public var isNewer = false
}

/// A deleted name and what it meant.
public struct DeletedState: Equatable, Sendable {
  /// Free now.
  public var name: String
  /// What it meant.
  public var snapshot: SnapshotID
}

/// A name that was changed.
public struct RenamedState: Equatable, Sendable {
  /// Free now.
  public var oldName: String
  /// In its place.
  public var newName: String
  /// What both mean.
  public var snapshot: SnapshotID
  /// What the new name meant before; nil when it was free.
  public var replaced: SnapshotID?
}

/// Why an entry of the history is listed only when all are asked for.
public enum LogMark: String, Sendable {
  /// On the timeline no more: an undo and a save after it have left it behind, or it is too old.
  case undone
  /// A value that no name means any more.
  case replaced
  /// A name that meant it was deleted.
  case deleted
}

/// A path that changed, with sizes in bytes; nil where it was no regular file.
public struct SizedChange: Equatable, Sendable {
  /// The path and how it differs.
  public var change: Change
  /// Nil where it was no regular file.
  public var oldSize: UInt64?
  /// Nil where it is no regular file.
  public var newSize: UInt64?
}

/// One line of history.
public struct LogEntry: Equatable, Sendable {
  /// `save`, `restore` or `guard` (the folder before a restore changed it).
  public var operation: String
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

/// What `gc` freed.
public struct GarbageSummary: Equatable, Sendable {
  /// Files that are gone.
  public var packsRemoved: Int
  /// Files of which a part was kept.
  public var packsRewritten: Int
  /// Pieces of content that are gone.
  public var blobsRemoved: Int
  /// Bytes.
  public var bytesFreed: UInt64
  /// Of packs that stay.
  public var bytesKept: UInt64
  /// The snapshots that go.
  public var dropped: [DroppedSnapshot] = []
  /// Those that only the trash keeps, for a time; the newest first.
  public var held: [HeldSnapshot] = []
  /// False for a dry run: nothing was changed.
  public var isCommitted: Bool
}

/// A snapshot that gc has dropped.
public struct DroppedSnapshot: Equatable, Sendable {
  /// Nothing has it any more.
  public var id: SnapshotID
  /// What it was called.
  public var names: [String]
  /// How it lost what kept it: `deleted`, `replaced`, `undone`; `unreferenced` where that is not known.
  public var reason: String
  /// How long ago that was, in seconds; nil where it is not known.
  public var age: UInt64?
}

/// A snapshot that has neither a name nor a step any more, and is kept for a time.
public struct HeldSnapshot: Equatable, Sendable {
  /// `memento save NAME --from ID` gives it a name again.
  public var id: SnapshotID
  /// What it was called.
  public var names: [String]
  /// How it lost what kept it: `deleted`, `replaced` or `undone`.
  public var reason: String
  /// How long ago that was, in seconds.
  public var age: UInt64
  /// When gc may drop it, if the store is used until then.
  public var until: SnapshotTime
  /// The space that it takes, and nothing newer that is kept.
  public var bytes: UInt64
  /// False when something of it is missing or damaged.
  public var isWhole: Bool
}

/// What `verify` found.
public struct VerifyReport: Equatable, Sendable {
  /// Something that is hurt, in words, with the states and the path it belongs to.
  public struct Damage: Equatable, Sendable {
    /// One line, without a full stop.
    public var message: String
    /// The states that need what is hurt.
    public var states: [String]
    /// The file or folder of them that is hurt; nil when it is not one of these.
    public var path: BytePath?
    /// Snapshots without a name that need it, too: steps of the timeline.
    public var snapshots: [SnapshotID] = []
    /// Only what is derived from the packs is hurt, and is made anew from them.
    public var isDerived = false
  }

  /// Files that were looked at.
  public var packs: Int
  /// Pieces of content that were looked at.
  public var blobs: Int
  /// Snapshots that were followed.
  public var snapshots: Int
  /// Bytes of blobs whose content was checked.
  public var bytesRead: UInt64
  /// Empty when all is well.
  public var damage: [Damage]
}

/// What a repair found, and what it did.
public struct RepairSummary: Equatable, Sendable {
  /// How many things were damaged.
  public var damageBefore: Int
  /// Damaged packs that were replaced by what can still be had of them, by name; they lie in `damaged/` of the store.
  public var packsSetAside: [String]
  /// Parts of the store that were missing or damaged and are there again, the names among them.
  public var partsPutBack: [RepairedPart]
  /// Whether the names were damaged, and are now what they were before the last command.
  public var wentBackToPreviousNames: Bool
  /// The store as it is now.
  public var report: VerifyReport
}

/// How a path differs.
public enum ChangeKind: String, Sendable {
  case added
  case modified
  case removed
  /// It is another kind of file now.
  case type
  /// Only mode, owner, time or attributes.
  case metadata
  /// The same content under another path; only a comparison says so.
  case renamed
}

/// A path that differs.
public struct Change: Equatable, Sendable {
  /// Relative to the folder.
  public var path: BytePath
  /// How it differs.
  public var kind: ChangeKind
}

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

/// A step that undo or redo has passed.
public struct MovedStep: Equatable, Sendable {
  /// `save`, `restore` or `guard`.
  public var operation: String
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
