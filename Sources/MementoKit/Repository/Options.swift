// How operations are asked for. Everything has a default that does what most callers want.

internal import MementoSystem

/// How a repository is opened.
public struct OpenOptions: Sendable {
  /// The store, when it is not `.memento` in the folder.
  public var store: BytePath?
  /// Owners of a store and of its folder that are trusted beside the current user: their numbers.
  public var trustedUsers: Set<UInt32> = []
  /// Stores and folders that are used although they belong to others; `PATH/*` is all below a folder, `*` everything.
  public var trustedPaths: [BytePath] = []
  /// False: success is reported before the medium has it; safe against a kill, not against a power cut.
  public var isDurable = true
  /// How long to wait for another process, seconds.
  public var lockWait = 10.0
  /// Hears when another process is waited for, and can end the wait. An operation that is given a monitor of its own asks
  /// that one while it waits for the store.
  public var monitor: any Monitor = SilentMonitor()
  /// Reads the dates in `NAME@{2h}` and `@{2026-06-01 14:00}`.
  public var dates = DateReader()
  /// Is told what a user should know and no operation is about.
  public var notice: @Sendable (Notice) -> Void = { _ in }
  /// What tells how much time has passed for the trash; tests have clocks of their own.
  var clock: @Sendable () -> ClockReading = ClockReading.ofSystem

  /// Opens a store also when its config or one of its folders is missing or damaged, and puts these back: for a repair.
  public var mendsStore = false

  /// The defaults.
  public init() {}
}

/// How a folder is saved.
public struct SaveOptions: Sendable {
  /// The state to name; nil for an unnamed snapshot on the timeline.
  public var name: String?
  /// Kept with the snapshot.
  public var message: String?
  /// Refuses a name that is in use instead of moving it.
  public var noClobber = false
  /// Finds out everything, writes nothing.
  public var isDryRun = false
  /// Reads every file, whatever the stat cache says.
  public var rehash = false
  /// What is left out.
  public var ignoring = IgnoreOptions()

  /// The defaults, with a name.
  public init(name: String? = nil) {
    self.name = name
  }
}

/// How a single value is saved.
public struct ValueOptions: Sendable {
  /// Kept with the snapshot.
  public var message: String?
  /// Refuses a name that is in use instead of moving it.
  public var noClobber = false
  /// Finds out everything, writes nothing.
  public var isDryRun = false

  /// The defaults.
  public init() {}
}

/// How a snapshot gets another name.
public struct NamingOptions: Sendable {
  /// Refuses a name that is in use instead of moving it.
  public var noClobber = false
  /// Finds out everything, writes nothing.
  public var isDryRun = false

  /// The defaults.
  public init() {}
}

/// How the folder is compared with a snapshot.
public struct StatusOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// What is left out.
  public var ignoring = IgnoreOptions()

  /// Leaves out what config and folder say.
  public init() {}
}

/// How a snapshot is written into another folder.
public struct ExtractOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Plans, and changes nothing.
  public var isDryRun = false
  /// Root restores owners, setuid and devices as the snapshot has them, also when the store or the folder belongs to
  /// another user, who may have made them up.
  public var asRecorded = false

  /// The defaults.
  public init() {}
}

/// How a snapshot is put back.
public struct RestoreOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Does not save first what would be lost.
  public var discard = false
  /// Leaves files that the snapshot does not have.
  public var keepExtra = false
  /// Patterns in gitignore's grammar, relative to the folder: what they match is left as it is.
  public var kept: [[UInt8]] = []
  /// What is left alone, beside what rule files and the config name.
  public var ignoring = IgnoreOptions()
  /// Plans, and changes nothing.
  public var isDryRun = false
  /// Root restores owners, setuid and devices as the snapshot has them, also when the store or the folder belongs to
  /// another user, who may have made them up.
  public var asRecorded = false
  /// Goes to the step of the timeline that holds the snapshot, as undo does, so that redo leads back; a snapshot that is
  /// no earlier step becomes a new one.
  public var followsTimeline = false

  /// The defaults.
  public init() {}
}

/// Which part of the history is listed, and with what.
public struct LogOptions: Sendable {
  /// Starts at this snapshot and follows the parents; the whole timeline when nil.
  public var from: Revision?
  /// Only entries in which one of these paths changed, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Only entries of this time or later.
  public var since: SnapshotTime?
  /// Only entries of this time or earlier.
  public var until: SnapshotTime?
  /// Also what is on the timeline no more, and values: all that gc has not dropped.
  public var showsAll = false
  /// Finds out what changed, file by file.
  public var withChanges = false
  /// At most so many entries.
  public var limit: Int?

  /// The defaults.
  public init() {}
}

/// What is compared with what.
public struct DiffOptions: Sendable {
  /// The older side; the position when nil.
  public var from: Revision?
  /// The newer side; the folder as it is when nil.
  public var to: Revision?
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// What is left out of the folder as it is.
  public var ignoring = IgnoreOptions()

  /// The defaults.
  public init() {}
}
