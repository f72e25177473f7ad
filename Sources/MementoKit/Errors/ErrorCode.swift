// What kind of failure an error is.

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
      case newerFormat = "newer-format"
      case restorePending = "restore-pending"
      case noPendingRestore = "no-pending-restore"
      case timelineEnd = "timeline-end"
      case blocked
      case cancelled
    }

    private let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// The word for it, as in `no-such-state`: the `id` of an error in the JSON of the command line.
    public var description: String { kind.rawValue }

    /// A system call failed: the disk is full, or there is no permission.
    public static let system = Code(.system)
    /// The name cannot be given to a state.
    public static let invalidName = Code(.invalidName)
    /// The caller asked for something that makes no sense.
    public static let invalidArgument = Code(.invalidArgument)
    /// A state has this name.
    public static let nameInUse = Code(.nameInUse)
    /// There is no store here.
    public static let noStore = Code(.noStore)
    /// A store is made in this folder (`/`, the home folder) only when the user asks for it.
    public static let notInitialized = Code(.notInitialized)
    /// There is a store already.
    public static let storeExists = Code(.storeExists)
    /// The folder leads to a store that is not there.
    public static let storeUnreachable = Code(.storeUnreachable)
    /// The store belongs to another folder than the one the program works in, or its folder is gone.
    public static let outsideFolder = Code(.outsideFolder)
    /// The store or the folder belongs to a user who is not trusted.
    public static let foreignOwner = Code(.foreignOwner)
    /// Another process is using the store; `holder` says which, where it is known.
    public static let locked = Code(.locked)
    /// No state or snapshot is called this.
    public static let noSuchState = Code(.noSuchState)
    /// Several snapshots have an id that begins with these digits.
    public static let ambiguous = Code(.ambiguous)
    /// The snapshot does not have this path.
    public static let noSuchPath = Code(.noSuchPath)
    /// A folder was needed and it is a value, or the other way round.
    public static let wrongKind = Code(.wrongKind)
    /// A folder that should be empty is not.
    public static let notEmpty = Code(.notEmpty)
    /// Something in the store is missing or damaged.
    public static let damaged = Code(.damaged)
    /// A value in the config is not understood. What does not depend on the config still works.
    public static let badConfig = Code(.badConfig)
    /// A later version of this library wrote it.
    public static let newerFormat = Code(.newerFormat)
    /// A restore was interrupted, and must be finished or taken back first.
    public static let restorePending = Code(.restorePending)
    /// No restore was interrupted.
    public static let noPendingRestore = Code(.noPendingRestore)
    /// There is nothing to undo or redo, or there are fewer steps.
    public static let timelineEnd = Code(.timelineEnd)
    /// Something in the folder cannot be changed; `problems` says what.
    public static let blocked = Code(.blocked)
    /// The monitor asked for an end.
    public static let cancelled = Code(.cancelled)
  }
}
