// What gc is asked for, and what it returns.

internal import MementoStore

/// What a gc removes. What is not said here, the config says.
public struct GarbageOptions: Equatable, Sendable {
  /// Computes the result and removes nothing.
  public var isDryRun = false
  /// Also removes what only the trash keeps, however new it is.
  public var emptiesTrash = false
  /// Removes unnamed snapshots and steps of the timeline that are older than this, in seconds, instead of what `keep` in
  /// the config says. Nil: as the config says.
  public var unnamedAge: UInt64?
  /// The most space that the store may take. Nil: as the config says.
  public var budget: RetentionPolicy.Budget?
  /// Writes packs anew for so many seconds at most; what is left, the next gc does. Nil: as long as it takes. Packs that
  /// nothing needs are removed in any case.
  public var timeLimit: UInt64?
  /// Also compresses anew what saves have written in haste, so that it takes less space.
  public var recompresses = false

  /// Makes options with the defaults.
  public init() {}
}

/// Why a snapshot is not kept any more, or only for a time. New reasons may be added: a `switch` over reasons needs a
/// `default`.
public struct LossReason: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case deleted
    case replaced
    case undone
    case unnamed
    case overBudget = "max-size"
    case unreferenced
  }

  private let kind: Kind

  private init(kind: Kind) {
    self.kind = kind
  }

  /// The reason as a word.
  public var description: String { kind.rawValue }

  /// The name of the snapshot was deleted.
  public static let deleted = LossReason(kind: .deleted)
  /// The name of the snapshot means another snapshot now.
  public static let replaced = LossReason(kind: .replaced)
  /// The step of the snapshot left the timeline because it was undone.
  public static let undone = LossReason(kind: .undone)
  /// The snapshot never had a name, or lost it long ago: it was a step of the timeline.
  public static let unnamed = LossReason(kind: .unnamed)
  /// The store had no room for the snapshot.
  public static let overBudget = LossReason(kind: .overBudget)
  /// The reason is not known.
  public static let unreferenced = LossReason(kind: .unreferenced)

  init(_ reason: TrashReason) {
    switch reason {
    case .deleted: self = .deleted
    case .replaced: self = .replaced
    case .undone: self = .undone
    case .passed: self = .unnamed
    }
  }
}

/// A snapshot that gc has removed.
public struct DroppedSnapshot: Equatable, Sendable {
  /// The id; nothing can be read by it any more.
  public var id: SnapshotID
  /// The names that it had.
  public var names: [String]
  /// Why nothing kept it.
  public var reason: LossReason
  /// How long ago it lost its name or step, in seconds, or how old its step was; nil where it is not known.
  public var age: UInt64?
  /// Stored bytes that the snapshot needed, and neither what is kept nor what is newer; nil where they are not known.
  public var bytes: UInt64?
}

/// A snapshot that has neither a name nor a step any more and that gc keeps for a time.
public struct HeldSnapshot: Equatable, Sendable {
  /// The id; `memento save NAME --from ID` gives the snapshot a name again.
  public var id: SnapshotID
  /// The names that it had.
  public var names: [String]
  /// Why it has no name or step any more.
  public var reason: LossReason
  /// How long ago it lost its name or step, in seconds, or how old its step is.
  public var age: UInt64
  /// The earliest time at which gc may remove it. It gets later while nobody uses the store. Nil when the snapshot is one
  /// of the newest unnamed ones and stays until there are enough newer ones.
  public var until: SnapshotTime?
  /// Stored bytes that the snapshot needs and that nothing newer needs.
  public var bytes: UInt64
  /// False when a part of it is missing or damaged.
  public var isWhole: Bool
}

/// What keeps the space of a store, in stored bytes. What several keep counts for the first of them.
public struct SpaceUse: Equatable, Sendable {
  /// What named states need, the position, what redo leads to, and a pending restore.
  public var named: UInt64 = 0
  /// What unnamed snapshots need, among them the steps of the timeline.
  public var unnamed: UInt64 = 0
  /// What the trash needs.
  public var trash: UInt64 = 0
  /// What nothing needs: it is in packs of which most is needed, and in those that could not be rewritten.
  public var unneeded: UInt64 = 0
}

/// What `gc` removed.
public struct GarbageSummary: Equatable, Sendable {
  /// Packs that were removed.
  public var packsRemoved: Int
  /// Packs of which only a part was needed, or that were small. The needed blobs are in new packs now.
  public var packsRewritten: Int
  /// Packs that should have been rewritten and are as they were, because the disk is full.
  public var packsNotRewritten = 0
  /// Packs that should have been rewritten and are as they were, because the time was over.
  public var packsPostponed = 0
  /// Blobs that only older snapshots need and that were put beside other versions of their paths.
  public var versionsSorted = 0
  /// Blobs that were removed.
  public var blobsRemoved: Int
  /// Bytes that were freed.
  public var bytesFreed: UInt64
  /// Bytes of packs that gc keeps, those copied into new packs included.
  public var bytesKept: UInt64
  /// A pack is rewritten when at least this percentage of its bytes is not needed.
  public var rewriteThreshold: UInt64 = 0
  /// So many of the oldest steps left the timeline.
  public var stepsDropped = 0
  /// Unnamed snapshots stay that are younger than this, in seconds.
  public var unnamedAge: UInt64 = 0
  /// The most space that the store may take, in bytes; nil for no limit.
  public var budget: UInt64?
  /// What keeps the space.
  public var space = SpaceUse()
  /// The snapshots that were removed.
  public var dropped: [DroppedSnapshot] = []
  /// The snapshots that only the trash or their age keeps, newest first.
  public var held: [HeldSnapshot] = []
  /// False for a dry run, which changes nothing.
  public var isCommitted: Bool
}
