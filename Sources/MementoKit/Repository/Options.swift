// The options of operations. Their defaults do what most callers want.

package import MementoSystem

/// How a repository is opened.
public struct OpenOptions: Sendable {
  /// The store, unless it is `.memento` in the folder.
  public var store: BytePath?
  /// User ids whose stores and folders are trusted, beside those of the current user.
  public var trustedUsers: Set<UInt32> = []
  /// Stores and folders that may be used although others own them. `PATH/*` means all below a folder, `*` everything.
  public var trustedPaths: [BytePath] = []
  /// Whether success is reported only after the data is on disk. Without it, a save survives a kill, but not a power
  /// cut.
  public var isDurable = true
  /// How long to wait for another process, in seconds.
  public var lockWait = 10.0
  /// Is told when the repository waits for another process, and can cancel the wait. An operation that gets a monitor
  /// of its own uses that one instead.
  public var monitor: any Monitor = SilentMonitor()
  /// The config of the user: its keys about policy and folder count where the config of the store says nothing. Nil:
  /// there is none.
  public var userConfig: ConfigFile?
  /// Reads the dates in `NAME@{2h}` and `@{2026-06-01 14:00}`.
  public var dates = DateReader()
  /// Receives messages for the user that belong to no operation, one line each.
  public var notice: @Sendable (Notice) -> Void = { _ in }
  /// The clock that measures how long entries are in the trash. Tests pass their own.
  package var clock: @Sendable () -> ClockReading = ClockReading.ofSystem

  /// Measures how long a save takes, in nanoseconds on a clock that only goes forward. Tests pass their own.
  var upkeepClock: @Sendable () -> UInt64 = Clock.nanosecondsSinceBoot
  /// How files share their blocks.
  var cloning = FileCloning.ofSystem

  /// Opens a store whose config or folders are missing or damaged, and puts these back. For a repair.
  public var mendsStore = false

  /// Makes options with the defaults.
  public init() {}
}

/// How a folder is saved.
public struct SaveOptions: Sendable {
  /// The state to save to; nil for a snapshot on the timeline without a name.
  public var name: String?
  /// A message that is stored with the snapshot.
  public var message: String?
  /// Throws `.nameInUse` when a state has the name, instead of replacing it.
  public var noClobber = false
  /// Computes the result and writes nothing.
  public var isDryRun = false
  /// Reads every file, also those that the stat cache knows as unchanged.
  public var rehash = false
  /// Asks the monitor before more is recorded, beyond what the snapshot at the position has, than the config allows
  /// (`max-new-files`, `max-new-size`).
  public var asksFirst = false
  /// What the save leaves out.
  public var ignoring = IgnoreOptions()
  /// Lists the paths that changed since the position; nil lists none.
  public var listing: ChangeListOptions?
  /// The command that made the changes, for the history.
  public var command: CommandRun?

  /// Makes options with the defaults and a name.
  public init(name: String? = nil) {
    self.name = name
  }
}

/// How a single value is saved.
public struct ValueOptions: Sendable {
  /// A message that is stored with the snapshot.
  public var message: String?
  /// Throws `.nameInUse` when a state has the name, instead of replacing it.
  public var noClobber = false
  /// Computes the result and writes nothing.
  public var isDryRun = false

  /// Makes options with the defaults.
  public init() {}
}

/// How an existing snapshot gets a name.
public struct NamingOptions: Sendable {
  /// Throws `.nameInUse` when a state has the name, instead of replacing it.
  public var noClobber = false
  /// Computes the result and writes nothing.
  public var isDryRun = false

  /// Makes options with the defaults.
  public init() {}
}

/// How the folder is compared with a snapshot.
public struct StatusOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Also what these select. With exclusions alone: everything else.
  public var pathspecs: [Pathspec] = []
  /// What status leaves out.
  public var ignoring = IgnoreOptions()

  /// Makes options with the defaults, which leave out what the config and the rule files name.
  public init() {}
}

/// How a snapshot is written into another folder.
public struct ExtractOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Also what these select. With exclusions alone: everything else.
  public var pathspecs: [Pathspec] = []
  /// Plans the restore and changes nothing.
  public var isDryRun = false
  /// Lets root restore owners, setuid bits and devices even when another user owns the store or the folder. That user
  /// may have forged them.
  public var asRecorded = false

  /// Makes options with the defaults.
  public init() {}
}

/// How a snapshot is restored into the folder.
public struct RestoreOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Also what these select. With exclusions alone: everything else.
  public var pathspecs: [Pathspec] = []
  /// Does not save unsaved changes first, so they are lost.
  public var discard = false
  /// Leaves files alone that the snapshot does not have.
  public var keepExtra = false
  /// Patterns in gitignore's grammar, relative to the folder. Files that match stay as they are.
  public var kept: [[UInt8]] = []
  /// Rules that leave files alone, in addition to those in rule files and in the config.
  public var ignoring = IgnoreOptions()
  /// Plans the restore and changes nothing.
  public var isDryRun = false
  /// Lets root restore owners, setuid bits and devices even when another user owns the store or the folder. That user
  /// may have forged them.
  public var asRecorded = false
  /// Goes back to the step of the timeline that holds the snapshot, as undo does, so that redo works. Adds a new step
  /// when no earlier step holds the snapshot.
  public var followsTimeline = false
  /// Whether a folder without files is saved, too, before it is restored. False for a new clone.
  var savesEmptyFolder = true
  /// Another repository, with whose folder new files share their blocks where the file system can. For a new fork.
  var sharing: Repository?

  /// Makes options with the defaults.
  public init() {}
}

/// Which part of the history `log` lists, and in how much detail.
public struct LogOptions: Sendable {
  /// Lists this snapshot and its parents; nil lists the timeline.
  public var from: Revision?
  /// Only entries in which one of these paths changed, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Also what these select. With exclusions alone: everything else.
  public var pathspecs: [Pathspec] = []
  /// Only entries of this time or later.
  public var since: SnapshotTime?
  /// Only entries of this time or earlier.
  public var until: SnapshotTime?
  /// Also lists values, and snapshots that are not on the timeline any more, as long as gc has not removed them.
  public var showsAll = false
  /// Lists the files that changed in each entry.
  public var withChanges = false
  /// The greatest number of entries; nil for all.
  public var limit: Int?

  /// Makes options with the defaults.
  public init() {}
}

/// What is compared.
public struct DiffOptions: Sendable {
  /// The older side; nil for the position on the timeline.
  public var from: Revision?
  /// The newer side; nil for the folder as it is.
  public var to: Revision?
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Also what these select. With exclusions alone: everything else.
  public var pathspecs: [Pathspec] = []
  /// What is left out of the folder, if the folder is compared.
  public var ignoring = IgnoreOptions()

  /// Makes options with the defaults.
  public init() {}
}
