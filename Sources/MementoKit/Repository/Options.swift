// How operations are asked for. Everything has a default that does what most callers want.

/// How a repository is opened.
public struct OpenOptions: Sendable {
  /// The store, when it is not `.memento` in the folder.
  public var store: BytePath?
  /// Owners of a store that are trusted beside the current user: their numbers.
  public var trustedUsers: Set<UInt32> = []
  /// False: success is reported before the medium has it; safe against a kill, not against a power cut.
  public var isDurable = true
  /// How long to wait for another process, seconds.
  public var lockWait = 10.0

  public init() {}
}

/// How a folder or a value is saved.
public struct SaveOptions: Sendable {
  /// The state to name; nil for an unnamed snapshot on the timeline.
  public var name: String?
  public var message: String?
  /// Refuses a name that is in use instead of moving it.
  public var noClobber = false
  /// Finds out everything, writes nothing.
  public var isDryRun = false
  /// Reads every file, whatever the stat cache says.
  public var rehash = false

  public init(name: String? = nil) {
    self.name = name
  }
}

/// How a snapshot is put back.
public struct RestoreOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Does not save first what would be lost.
  public var discard = false
  /// Leaves files that the snapshot does not have.
  public var keepExtra = false
  /// Plans, and changes nothing.
  public var isDryRun = false

  public init() {}
}

/// Which part of the history is listed.
public struct LogOptions: Sendable {
  /// Starts at this snapshot; the whole timeline when nil.
  public var from: String?
  /// At most so many entries.
  public var limit: Int?

  public init() {}
}

/// What is compared with what.
public struct DiffOptions: Sendable {
  /// The older side; the position when nil.
  public var from: String?
  /// The newer side; the folder as it is when nil.
  public var to: String?
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []

  public init() {}
}
