// What operations on remotes are asked for and return, as plain values.

/// A remote of this store.
public struct Remote: Equatable, Sendable {
  /// Its name: the part of `NAME/STATE` before the slash.
  public var name: String
  /// Where it is.
  public var url: RemoteURL
  /// The id of the repository there; nil when it was not there yet when this was last looked at.
  public var repository: String?
  /// Whether what it holds is encrypted.
  public var isSealed: Bool
  /// Whether it may be used. False in a store that was copied from elsewhere: adding the remote again confirms it.
  public var isConfirmed: Bool
  /// When this store last pushed there or fetched from there; nil for never.
  public var lastContact: SnapshotTime?
}

/// What to add.
public struct RemoteAddOptions: Sendable {
  /// What is put there is not encrypted.
  public var isPlain = false
  /// Changes nothing.
  public var isDryRun = false

  /// The standard.
  public init() {}
}

/// What was added.
public struct RemoteAddSummary: Sendable {
  /// The remote.
  public var remote: Remote
  /// Whether this call has made the repository there.
  public var isNew: Bool
  /// Opens a new sealed repository when the passphrase is lost. It is not kept anywhere, and never shown again.
  public var recoveryKey: String?
  /// How many names it has.
  public var names: Int
}

/// What to push.
public struct PushOptions: Sendable {
  /// The remote; nil for the only one, or that of the config.
  public var remote: String?
  /// Patterns of the names to push; empty for all.
  public var names: [String] = []
  /// Pushes where the folder is even if no name means it. Its snapshot is in the remote then, and a clone restores it.
  public var includesPosition = false
  /// Pushes the steps of the timeline and their snapshots, and so where the folder is. A clone has them then.
  public var includesTimeline = false
  /// Changes nothing.
  public var isDryRun = false

  /// The standard.
  public init() {}
}

/// How a name of a remote came to mean something else.
public struct RemoteMove: Equatable, Sendable {
  /// What has happened. New kinds may be added: a `switch` needs a `default`.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    /// The kind as a word.
    public let description: String

    init(_ word: String) {
      description = word
    }

    /// The name is new.
    public static let created = Kind("created")
    /// The name means another snapshot now.
    public static let moved = Kind("moved")
    /// The name was moved here and there since they last met. See `otherName`.
    public static let conflict = Kind("conflict")
    /// The name was deleted there, and is left as it is here.
    public static let deletedThere = Kind("deleted-there")
  }

  /// What has happened.
  public var kind: Kind
  /// The name.
  public var name: String
  /// What it means now.
  public var snapshot: SnapshotID
  /// What it meant before; nil for a new name.
  public var before: SnapshotID?
  /// For a conflict: the name by which the other value is reached, such as `NAME@host`.
  public var otherName: String?
}

/// What a push did, or would do if `isCommitted` is false.
public struct PushSummary: Sendable {
  /// The remote.
  public var remote: String
  /// The names that moved there.
  public var moves: [RemoteMove]
  /// How many names were there already as they are here.
  public var unchanged: Int
  /// How many blobs the remote lacked.
  public var blobs: Int
  /// Their size in bytes, before compression.
  public var rawBytes: UInt64
  /// How much was sent, in bytes; for a dry run about how much would be.
  public var sentBytes: UInt64
  /// How many packs were made.
  public var packs: Int
  /// Whether the remote did not know where the folder is, or by which steps it came there, and was told.
  public var movesPosition = false
  /// False for a dry run.
  public var isCommitted: Bool
}

/// What to fetch or pull.
public struct FetchOptions: Sendable {
  /// The remote; nil for the only one, or that of the config.
  public var remote: String?
  /// Patterns of the names; empty for all.
  public var names: [String] = []
  /// Changes nothing.
  public var isDryRun = false

  /// The standard.
  public init() {}
}

/// What a fetch or a pull did, or would do if `isCommitted` is false.
public struct FetchSummary: Sendable {
  /// The remote.
  public var remote: String
  /// Fetch: the names of the remote that changed since the last look. Pull: the names here that moved.
  public var moves: [RemoteMove]
  /// How many names the remote has.
  public var names: Int
  /// How many blobs were received.
  public var blobs: Int
  /// Their size in bytes, before compression.
  public var rawBytes: UInt64
  /// How much was received, in bytes.
  public var receivedBytes: UInt64
  /// Names of the remote that no state here can have; they stay reachable as `REMOTE/NAME` where that can be written.
  public var unusableNames: [String] = []
  /// False for a dry run.
  public var isCommitted: Bool
}

/// A name of a remote.
public struct RemoteState: Equatable, Sendable {
  /// The name as it is written here: `REMOTE/NAME`.
  public var name: String
  /// What it means.
  public var snapshot: SnapshotID
  /// The machine that moved it.
  public var host: String
  /// When it was moved.
  public var time: SnapshotTime
  /// Whether its content is in this store.
  public var isLocal: Bool
}

/// What a clone did.
public struct CloneSummary: Sendable {
  /// The folder that was filled.
  public var folder: BytePath
  /// What was received.
  public var fetch: FetchSummary
  /// What was restored; nil when the remote knows no position.
  public var restore: RestoreSummary?
}
