// The kind of failure that an error reports.

extension RepositoryError {
  /// What kind of failure it is. New codes may be added: a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case system
      case invalidName = "invalid-name"
      case invalidArgument = "invalid-argument"
      case nameInUse = "name-in-use"
      case noStore = "no-store"
      case notInitialized = "not-initialized"
      case storeExists = "store-exists"
      case storeUnreachable = "store-unreachable"
      case outsideFolder = "outside-folder"
      case foreignOwner = "foreign-owner"
      case locked
      case noSuchState = "no-such-state"
      case ambiguous
      case noSuchPath = "no-such-path"
      case wrongKind = "wrong-kind"
      case notEmpty = "not-empty"
      case damaged
      case badConfig = "bad-config"
      case notSet = "not-set"
      case wouldRemoveAll = "would-remove-all"
      case newerFormat = "newer-format"
      case restorePending = "restore-pending"
      case noPendingRestore = "no-pending-restore"
      case timelineEnd = "timeline-end"
      case blocked
      case cancelled
      case noSuchRemote = "no-such-remote"
      case unreachable
      case untrusted
      case denied
      case noSuchPlace = "no-such-place"
      case wrongClock = "wrong-clock"
      case remoteFailed = "remote-failed"
      case remoteFull = "remote-full"
      case damagedArchive = "damaged-archive"
      case tooLarge = "too-large"
    }

    private let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// The code as a word, for example `no-such-state`. It is the `id` of an error in the JSON of the command line.
    public var description: String { kind.rawValue }

    /// A system call failed, for example because the disk is full or a permission is missing.
    public static let system = Code(.system)
    /// A state cannot have this name.
    public static let invalidName = Code(.invalidName)
    /// The caller asked for something that makes no sense.
    public static let invalidArgument = Code(.invalidArgument)
    /// Another state has this name.
    public static let nameInUse = Code(.nameInUse)
    /// There is no store here.
    public static let noStore = Code(.noStore)
    /// Folders such as `/` and the home folder get a store only when the user asks for it.
    public static let notInitialized = Code(.notInitialized)
    /// There is already a store.
    public static let storeExists = Code(.storeExists)
    /// The folder points to a store that is not there.
    public static let storeUnreachable = Code(.storeUnreachable)
    /// The store belongs to another folder than the one the program works in, or its folder is gone.
    public static let outsideFolder = Code(.outsideFolder)
    /// The store or the folder belongs to a user who is not trusted.
    public static let foreignOwner = Code(.foreignOwner)
    /// Another process is using the store. `holder` names it, where that is known.
    public static let locked = Code(.locked)
    /// No state or snapshot is called this.
    public static let noSuchState = Code(.noSuchState)
    /// Several snapshots have an id that begins with these digits.
    public static let ambiguous = Code(.ambiguous)
    /// The snapshot does not have this path.
    public static let noSuchPath = Code(.noSuchPath)
    /// The operation needs a folder and found a value, or needs a value and found a folder.
    public static let wrongKind = Code(.wrongKind)
    /// A folder that should be empty is not.
    public static let notEmpty = Code(.notEmpty)
    /// Something in the store is missing or damaged.
    public static let damaged = Code(.damaged)
    /// A value in the config cannot be understood. Operations that do not need the config still work.
    public static let badConfig = Code(.badConfig)
    /// A key of a config does not have the value that was to be removed.
    public static let notSet = Code(.notSet)
    /// A policy would remove everything that it is about.
    public static let wouldRemoveAll = Code(.wouldRemoveAll)
    /// A later version of this library wrote the store.
    public static let newerFormat = Code(.newerFormat)
    /// A restore was interrupted. It must be finished or aborted first.
    public static let restorePending = Code(.restorePending)
    /// No restore was interrupted.
    public static let noPendingRestore = Code(.noPendingRestore)
    /// There is nothing to undo or redo, or not so many steps.
    public static let timelineEnd = Code(.timelineEnd)
    /// Something in the folder cannot be changed; `problems` says what.
    public static let blocked = Code(.blocked)
    /// The monitor cancelled the operation.
    public static let cancelled = Code(.cancelled)
    /// No remote is called this, or there is none at all.
    public static let noSuchRemote = Code(.noSuchRemote)
    /// A remote cannot be reached: there is no way to it, or it has been silent for too long.
    public static let unreachable = Code(.unreachable)
    /// A remote is not known to be the one that it should be: its host key or its certificate is not trusted.
    public static let untrusted = Code(.untrusted)
    /// A remote does not let this user in, or its secret is missing or wrong.
    public static let denied = Code(.denied)
    /// The bucket, or the folder above that of a remote, is not there.
    public static let noSuchPlace = Code(.noSuchPlace)
    /// The clock of this machine or that of a remote is off by so much that the remote refuses all requests.
    public static let wrongClock = Code(.wrongClock)
    /// A remote was reached, and failed, or what it answered makes no sense.
    public static let remoteFailed = Code(.remoteFailed)
    /// A remote has no space left, or no quota.
    public static let remoteFull = Code(.remoteFull)
    /// What should be an archive is none, or is damaged or cut off.
    public static let damagedArchive = Code(.damagedArchive)
    /// The save would record far more than the one before did, and nobody has said that it may. Nothing is saved.
    public static let tooLarge = Code(.tooLarge)
  }
}
