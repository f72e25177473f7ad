// What the upkeep of remotes returns, as plain values.

/// Some packs of a remote.
public struct RemotePackCount: Equatable, Sendable {
  /// How many.
  public var packs = 0
  /// The size of their objects.
  public var bytes: UInt64 = 0
  /// When the first of them goes, or is looked at again, by the clock of the remote; nil when none does.
  public var due: SnapshotTime?
}

/// What a collection on a remote did, or would do if `isCommitted` is false.
public struct RemoteCollectionSummary: Equatable, Sendable {
  /// The remote.
  public var remote: String
  /// All packs that were there.
  public var all = RemotePackCount()
  /// Packs that were marked now, since no name needs them. They stay readable for a grace period.
  public var marked = RemotePackCount()
  /// Packs that were marked before, and whose time has not come.
  public var waiting = RemotePackCount()
  /// Packs that are marked and stay, since names need them all the same.
  public var kept = RemotePackCount()
  /// Packs that nobody needs yet, and that are so new that a push may be about to name them.
  public var young = RemotePackCount()
  /// Packs that were removed now.
  public var removed = RemotePackCount()
  /// Packs of which little is needed: that was moved into new packs, and these were marked.
  public var rewritten = RemotePackCount()
  /// Packs of which little is needed, and that are younger than the grace period: they are left as they are until then.
  public var youngSparse = RemotePackCount()
  /// How much of them was needed, in bytes of the new packs; for a dry run about how much is.
  public var bytesMoved: UInt64 = 0
  /// How many new packs that made; 0 for a dry run.
  public var packsMade = 0
  /// A pack is rewritten when at least this percentage of its bytes is not needed.
  public var rewriteThreshold: UInt64 = 0
  /// Indexes that newer ones have replaced.
  public var indexesReplaced = 0
  /// Marks, indexes and records of names that were removed because newer ones say the same.
  public var recordsRemoved = 0
  /// Whether all of this was done. False when it took so long that what was seen was too old to act upon: the collection
  /// should be repeated.
  public var isComplete = true
  /// False for a dry run.
  public var isCommitted: Bool
}

/// What a policy has kept and removed of the names of a remote.
public struct RemotePruneSummary: Equatable, Sendable {
  /// The remote.
  public var remote: String
  /// The states, named `REMOTE/NAME`.
  public var states: PruneSummary
  /// The packs that no name needs without the removed ones: a collection gives their space back. Nil when nothing is
  /// removed, or when this cannot be known.
  public var unneeded: RemotePackCount?
  /// Packs of which so little is needed then that a collection rewrites them; `bytes` is how much smaller that makes the
  /// remote.
  public var sparse: RemotePackCount?
  /// Why it cannot be known what a collection gives back; nil when it is known.
  public var problem: String?
}

/// What a remote holds.
public struct RemoteStatistics: Equatable, Sendable {
  /// The objects of a folder.
  public struct Folder: Equatable, Sendable {
    /// For example `packs`.
    public var name: String
    /// How many objects it has.
    public var objects: Int
    /// Their size as they are stored.
    public var bytes: UInt64
  }

  /// The remote.
  public var remote: Remote
  /// Its folders, by name.
  public var folders: [Folder]
  /// How many names it has.
  public var states: Int
  /// How many stores have written names.
  public var writers: Int
  /// Packs that no index names: of a push that goes on, or that was interrupted.
  public var unlisted: RemotePackCount
  /// Packs that a collection has marked and whose time has not come.
  public var marked: RemotePackCount
  /// Packs that a collection may remove now.
  public var due: RemotePackCount
  /// When this was seen, by the clock of the remote.
  public var time: SnapshotTime
}

/// What a check of a remote found.
public struct RemoteVerifyReport: Equatable, Sendable {
  /// The remote.
  public var remote: String
  /// Records that were read: of names, indexes and marks.
  public var records: Int
  /// Of these, damaged ones that newer records replace. Nobody needs them, and a collection removes them.
  public var recordsReplaced = 0
  /// What was checked, and what is damaged.
  public var report: VerifyReport
  /// What a repair has sent; nil when none was asked for.
  public var sent: RemoteRepair?
}

/// What was sent to a remote that had lost it.
public struct RemoteRepair: Equatable, Sendable {
  /// How many pieces of damage there were before.
  public var damageBefore: Int
  /// Records that were put in the place of damaged ones.
  public var records: Int
  /// Blobs that were sent.
  public var blobs: Int
  /// Packs that were made of them.
  public var packs: Int
  /// Their size.
  public var bytes: UInt64
}
