// What gc, verify and repair return.

internal import MementoStore

/// Why a snapshot is not kept any more. New reasons may be added: a `switch` over reasons needs a `default`.
public struct LossReason: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case deleted
    case replaced
    case undone
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
  /// The step of the snapshot left the timeline.
  public static let undone = LossReason(kind: .undone)
  /// The reason is not known.
  public static let unreferenced = LossReason(kind: .unreferenced)

  init(_ reason: TrashReason) {
    switch reason {
    case .deleted: self = .deleted
    case .replaced: self = .replaced
    case .undone: self = .undone
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
  /// How long ago it lost its name or step, in seconds; nil where it is not known.
  public var age: UInt64?
}

/// A snapshot that has neither a name nor a step any more and that the trash keeps for a time.
public struct HeldSnapshot: Equatable, Sendable {
  /// The id; `memento save NAME --from ID` gives the snapshot a name again.
  public var id: SnapshotID
  /// The names that it had.
  public var names: [String]
  /// Why only the trash keeps it.
  public var reason: LossReason
  /// How long ago it lost its name or step, in seconds.
  public var age: UInt64
  /// The earliest time at which gc may remove it. It gets later while nobody uses the store.
  public var until: SnapshotTime
  /// Stored bytes that the snapshot needs and that nothing newer needs.
  public var bytes: UInt64
  /// False when a part of it is missing or damaged.
  public var isWhole: Bool
}

/// What `gc` removed.
public struct GarbageSummary: Equatable, Sendable {
  /// Packs that were removed.
  public var packsRemoved: Int
  /// Packs of which only a part was needed, or that were small. The needed blobs are in new packs now.
  public var packsRewritten: Int
  /// Blobs that were removed.
  public var blobsRemoved: Int
  /// Bytes that were freed.
  public var bytesFreed: UInt64
  /// Bytes of packs that gc keeps, those copied into new packs included.
  public var bytesKept: UInt64
  /// The snapshots that were removed.
  public var dropped: [DroppedSnapshot] = []
  /// The snapshots that only the trash keeps, newest first.
  public var held: [HeldSnapshot] = []
  /// False for a dry run, which changes nothing.
  public var isCommitted: Bool
}

/// What `verify` found.
public struct VerifyReport: Equatable, Sendable {
  /// One piece of damage, in words, with the states and the path that it affects.
  public struct Damage: Equatable, Sendable {
    /// One line without a full stop.
    public var message: String
    /// The states that need the damaged part.
    public var states: [String]
    /// The damaged file or folder in these states; nil for other damage.
    public var path: BytePath?
    /// Snapshots without a name that also need the damaged part, such as steps of the timeline.
    public var snapshots: [SnapshotID] = []
    /// Whether only derived files are damaged, which are made again from the packs.
    public var isDerived = false
  }

  /// Packs that were checked.
  public var packs: Int
  /// Blobs that were checked.
  public var blobs: Int
  /// Snapshots that were checked.
  public var snapshots: Int
  /// Bytes of blobs that were read and compared with their ids.
  public var bytesRead: UInt64
  /// All damage that was found and that could not be healed; empty when nothing is lost.
  public var damage: [Damage]
  /// Files of the store that are damaged and were read through their parity or from their second copy, as paths in the
  /// store. Nothing of them is lost. `repair` writes them anew.
  public var healed: [String] = []
  /// Since when everything was read that was in the store then, this check included: the last full verification, or the
  /// first part of a series of parts. Nil when that never happened, or is not known any more.
  public var lastVerified: SnapshotTime?
  /// Packs whose parity is missing or damaged. Always 0 in a store without parity. `repair` and gc make it.
  public var packsWithoutParity = 0
}

/// What `repair` found, and what it did.
public struct RepairSummary: Equatable, Sendable {
  /// How many pieces of damage there were before the repair.
  public var damageBefore: Int
  /// The names of damaged packs that were moved to `damaged/` of the store. New packs hold what could be recovered.
  public var packsSetAside: [String]
  /// The names of packs that were written anew from their parity. Nothing of them was lost.
  public var packsHealed: [String] = []
  /// Packs that had no parity, or damaged parity, and have it now.
  public var parityMade = 0
  /// Parts of the store that were missing or damaged and were put back, the list of states among them.
  public var partsPutBack: [RepairedPart]
  /// Whether the list of states was damaged and is now as it was before the last command.
  public var wentBackToPreviousNames: Bool
  /// The result of a check after the repair.
  public var report: VerifyReport
}
