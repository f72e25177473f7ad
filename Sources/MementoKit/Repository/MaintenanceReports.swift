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
  /// All damage that was found; empty when the store is whole.
  public var damage: [Damage]
}

/// What `repair` found, and what it did.
public struct RepairSummary: Equatable, Sendable {
  /// How many pieces of damage there were before the repair.
  public var damageBefore: Int
  /// The names of damaged packs that were moved to `damaged/` of the store. New packs hold what could be recovered.
  public var packsSetAside: [String]
  /// Parts of the store that were missing or damaged and were put back, the list of states among them.
  public var partsPutBack: [RepairedPart]
  /// Whether the list of states was damaged and is now as it was before the last command.
  public var wentBackToPreviousNames: Bool
  /// The result of a check after the repair.
  public var report: VerifyReport
}
