// What gc, verify and repair return.

internal import MementoStore

/// How a snapshot lost what kept it. New reasons may be added: a `switch` over reasons needs a `default`.
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

  /// The word for it.
  public var description: String { kind.rawValue }

  /// Its name was deleted.
  public static let deleted = LossReason(kind: .deleted)
  /// Its name means another snapshot now.
  public static let replaced = LossReason(kind: .replaced)
  /// Its step left the timeline.
  public static let undone = LossReason(kind: .undone)
  /// That is not known.
  public static let unreferenced = LossReason(kind: .unreferenced)

  init(_ reason: TrashReason) {
    switch reason {
    case .deleted: self = .deleted
    case .replaced: self = .replaced
    case .undone: self = .undone
    }
  }
}

/// A snapshot that gc has dropped.
public struct DroppedSnapshot: Equatable, Sendable {
  /// Nothing has it any more.
  public var id: SnapshotID
  /// What it was called.
  public var names: [String]
  /// How it lost what kept it.
  public var reason: LossReason
  /// How long ago that was, in seconds; nil where it is not known.
  public var age: UInt64?
}

/// A snapshot that has neither a name nor a step any more, and is kept for a time.
public struct HeldSnapshot: Equatable, Sendable {
  /// `memento save NAME --from ID` gives it a name again.
  public var id: SnapshotID
  /// What it was called.
  public var names: [String]
  /// How it lost what kept it.
  public var reason: LossReason
  /// How long ago that was, in seconds.
  public var age: UInt64
  /// When gc may drop it, if the store is used until then.
  public var until: SnapshotTime
  /// The space that it takes, and nothing newer that is kept.
  public var bytes: UInt64
  /// False when something of it is missing or damaged.
  public var isWhole: Bool
}

/// What `gc` freed.
public struct GarbageSummary: Equatable, Sendable {
  /// Files that are gone.
  public var packsRemoved: Int
  /// Files of which a part was kept.
  public var packsRewritten: Int
  /// Pieces of content that are gone.
  public var blobsRemoved: Int
  /// Bytes.
  public var bytesFreed: UInt64
  /// Of packs that stay.
  public var bytesKept: UInt64
  /// The snapshots that go.
  public var dropped: [DroppedSnapshot] = []
  /// Those that only the trash keeps, for a time; the newest first.
  public var held: [HeldSnapshot] = []
  /// False for a dry run: nothing was changed.
  public var isCommitted: Bool
}

/// What `verify` found.
public struct VerifyReport: Equatable, Sendable {
  /// Something that is hurt, in words, with the states and the path it belongs to.
  public struct Damage: Equatable, Sendable {
    /// One line, without a full stop.
    public var message: String
    /// The states that need what is hurt.
    public var states: [String]
    /// The file or folder of them that is hurt; nil when it is not one of these.
    public var path: BytePath?
    /// Snapshots without a name that need it, too: steps of the timeline.
    public var snapshots: [SnapshotID] = []
    /// Only what is derived from the packs is hurt, and is made anew from them.
    public var isDerived = false
  }

  /// Files that were looked at.
  public var packs: Int
  /// Pieces of content that were looked at.
  public var blobs: Int
  /// Snapshots that were followed.
  public var snapshots: Int
  /// Bytes of blobs whose content was checked.
  public var bytesRead: UInt64
  /// Empty when all is well.
  public var damage: [Damage]
}

/// What a repair found, and what it did.
public struct RepairSummary: Equatable, Sendable {
  /// How many things were damaged.
  public var damageBefore: Int
  /// Damaged packs that were replaced by what can still be had of them, by name; they lie in `damaged/` of the store.
  public var packsSetAside: [String]
  /// Parts of the store that were missing or damaged and are there again, the names among them.
  public var partsPutBack: [RepairedPart]
  /// Whether the names were damaged, and are now what they were before the last command.
  public var wentBackToPreviousNames: Bool
  /// The store as it is now.
  public var report: VerifyReport
}
