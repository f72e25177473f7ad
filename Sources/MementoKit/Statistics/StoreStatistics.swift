// What `statistics` returns.

internal import MementoStore

/// Bytes, as they are and as they are stored.
public struct StoredAmount: Equatable, Sendable {
  /// Bytes before compression. Exact.
  public var raw: UInt64 = 0
  /// Bytes in packs. Of what shares a block with other things, its share of the block: an estimate.
  public var stored: UInt64 = 0

  /// An amount; nothing by default.
  public init(raw: UInt64 = 0, stored: UInt64 = 0) {
    self.raw = raw
    self.stored = stored
  }

  static func += (left: inout StoredAmount, right: StoredAmount) {
    left.raw += right.raw
    left.stored += right.stored
  }
}

/// What only one set of snapshots holds, and what would become free without it.
public struct HeldAmounts: Equatable, Sendable {
  /// What no other state has.
  public var alone = StoredAmount()
  /// What becomes free at once when their names and steps go, and with them the time in the trash. Nothing of what the
  /// position holds.
  public var freedNow = StoredAmount()
  /// What has become free when the time that gc keeps steps and the trash for is over. Nothing of what the position holds.
  public var freedLater = StoredAmount()
}

/// How much a store holds, for whom, and since when.
public struct StoreStatistics: Equatable, Sendable {
  /// One state, or one snapshot without a name that was asked for.
  public struct State: Equatable, Sendable {
    /// Its name; nil for a snapshot that was named otherwise.
    public var name: String?
    /// Its snapshot.
    public var snapshot: SnapshotID
    /// When the snapshot was made; nil when it cannot be read.
    public var time: SnapshotTime?
    /// Files in it.
    public var files: Int
    /// Bytes of these files.
    public var rawBytes: UInt64
    /// Whether the folder is at this snapshot.
    public var isCurrent: Bool
    /// What it alone holds. Another name for the same snapshot is another state, which has all of it.
    public var amounts: HeldAmounts
  }

  /// A part of all content, by folder or by kind.
  public struct Part: Equatable, Sendable {
    /// A folder at the top, or the end of the names of files after the last dot. Empty for files at the top, and for files
    /// without such an end.
    public var name: [UInt8]
    /// How much of what the chosen states have belongs to it. What belongs to several parts counts where it was met first.
    public var amount: StoredAmount
  }

  /// What a snapshot added to all older ones that are still there.
  public struct Growth: Equatable, Sendable {
    /// The snapshot.
    public var snapshot: SnapshotID
    /// When it was made.
    public var time: SnapshotTime
    /// What it has and none before it.
    public var added: StoredAmount
  }

  /// A state that keeps what others have as well.
  public struct Keeper: Equatable, Sendable {
    /// The names of the snapshot that were not asked for.
    public var names: [String]
    /// The snapshot.
    public var snapshot: SnapshotID
    /// What it keeps.
    public var amount: StoredAmount
  }

  /// Who keeps what would not become free at once. Each thing counts in the first of these that keeps it.
  public struct Keepers: Equatable, Sendable {
    /// States that were not asked for.
    public var otherStates = StoredAmount()
    /// The same by state, the largest first. What several of them have counts at the newest.
    public var states: [Keeper] = []
    /// The position of the folder.
    public var position = StoredAmount()
    /// Other steps of the timeline, and a pending restore.
    public var timeline = StoredAmount()
    /// The trash.
    public var trash = StoredAmount()
  }

  /// The states that were asked for, by name; all by default.
  public var states: [State] = []
  /// The bytes of the files of all these states together, as if each had its own copy.
  public var rawBytes: UInt64 = 0
  /// Files of all these states together.
  public var files = 0
  /// Everything that these states are made of, each thing once.
  public var all = StoredAmount()
  /// What all these states together hold, as one set.
  public var amounts = HeldAmounts()
  /// Who keeps what would not become free at once if all these states went.
  public var keepers = Keepers()
  /// Their content by folders at the top, the largest first.
  public var folders: [Part] = []
  /// Their content by kind of file, the largest first.
  public var kinds: [Part] = []
  /// What each snapshot of the store added, the oldest first.
  public var growth: [Growth] = []
  /// Packs in the store.
  public var packs = 0
  /// Bytes of these packs, with what is not needed any more.
  public var packBytes: UInt64 = 0
  /// Bytes in packs of everything that a state, the timeline or the trash keeps: an estimate, as in `StoredAmount`.
  public var keptBytes: UInt64 = 0
  /// When the last full check of the store ended; nil when that is not known.
  public var lastVerified: SnapshotTime?
  /// How many things are missing or damaged and so are not counted.
  public var damage = 0
}

/// What `statistics` looks at.
public struct StatisticsOptions: Sendable {
  /// The states, by name. Nil, with no `revisions`: all.
  public var names: [String]?
  /// Snapshots, with all their names.
  public var revisions: [Revision] = []

  /// Options for the whole store.
  public init() {}
}
