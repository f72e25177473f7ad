// What verify and repair return.

internal import MementoStore

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
  /// What came from remotes; nil when none was asked.
  public var fromRemotes: RepairFromRemotes?
  /// The result of a check after the repair.
  public var report: VerifyReport
}

/// What a repair got from remotes.
public struct RepairFromRemotes: Equatable, Sendable {
  /// The remotes that had something of it.
  public var remotes: [String] = []
  /// Blobs that were brought here.
  public var blobs = 0
  /// Why remotes could not be asked, a line each.
  public var problems: [String] = []
}
