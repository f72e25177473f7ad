// What a purge of paths is asked for, and what it returns: the same for the plan and for what was done.

/// Which paths are purged, and how.
public struct PurgeOptions: Equatable, Sendable {
  /// Files and folders, relative to the folder of the store; a folder with all that is in it. They need not exist in the
  /// folder. Without any, only what nothing needs any longer is removed.
  public var paths: [BytePath]
  /// Plans and changes nothing.
  public var isDryRun = false

  /// Options for some paths.
  public init(_ paths: [BytePath] = []) {
    self.paths = paths
  }
}

/// A path that no snapshot has after a purge.
public struct PurgedPath: Equatable, Sendable {
  /// The path, relative to the folder.
  public var path: BytePath
  /// How many snapshots had it.
  public var snapshots: Int
  /// Whether the folder has it; nil when that cannot be looked at. A purge does not touch the folder.
  public var isInFolder: Bool?
  /// Whether a rule leaves it out, so that the next save does not record it again.
  public var isIgnored: Bool
}

/// A state that means a new snapshot after a purge.
public struct RewrittenState: Equatable, Sendable {
  /// The name.
  public var name: String
  /// The snapshot that it meant.
  public var before: SnapshotID
  /// The snapshot that it means now: the same without the paths, or with another snapshot before it.
  public var after: SnapshotID
  /// Whether it had one of the paths.
  public var hadPath: Bool
}

/// Something that has a part of the purged content, too, and keeps it.
public struct SharedContent: Equatable, Sendable {
  /// The file, relative to the folder; nil for a value.
  public var path: BytePath?
  /// A snapshot that has it.
  public var snapshot: SnapshotID
  /// The names of this snapshot.
  public var names: [String]
  /// How many of its bytes are the same.
  public var bytes: UInt64
}

/// A file of the store that a purge leaves and that may hold what was purged.
public struct PurgeRemainder: Equatable, Sendable {
  /// The file: "damaged/0123456789ab.pack", relative to the store; absolute if it is in
  /// the folder.
  public var file: BytePath
  /// Why it may, as a phrase.
  public var detail: String
  /// Whether another purge removes it. False: only a person can tell what it is.
  public var isUnfinished = false
}

/// What a purge of paths has done, or would do.
public struct PathPurgeSummary: Equatable, Sendable {
  /// The paths, in the order in which they were given.
  public var paths: [PurgedPath] = []
  /// The states that have new snapshots, sorted by the bytes of their names.
  public var states: [RewrittenState] = []
  /// How many snapshots had one of the paths.
  public var snapshotsPurged = 0
  /// How many snapshots have new ids: these, and those after them.
  public var snapshotsRewritten = 0
  /// How many different contents the paths had.
  public var versions = 0
  /// Bytes of all of them, what is the same counted once.
  public var bytes: UInt64 = 0
  /// Other files that have some of these bytes, and keep them: the first hundred.
  public var shared: [SharedContent] = []
  /// How many such files there are.
  public var sharedCount = 0
  /// Files that restores had rescued from the paths, relative to the store. They are removed.
  public var filesRemoved: [BytePath] = []
  /// Files that may hold what was purged, and stay.
  public var remaining: [PurgeRemainder] = []
  /// Packs that were removed.
  public var packsRemoved = 0
  /// Packs of which a part was needed: it is in new packs.
  public var packsRewritten = 0
  /// Blobs that were removed.
  public var blobsRemoved = 0
  /// Bytes by which the packs became smaller.
  public var bytesFreed: UInt64 = 0
  /// Bytes of the packs that are left.
  public var bytesKept: UInt64 = 0
  /// False for a dry run, which changes nothing.
  public var isCommitted = false

  /// Whether no snapshot had any of the paths, and nothing was rescued from them.
  public var foundNothing: Bool { !paths.isEmpty && paths.allSatisfy { $0.snapshots == 0 } && filesRemoved.isEmpty }
}
