// What is returned about states: listed, deleted, renamed.

/// A state in a listing.
public struct ListedState: Equatable, Sendable {
  /// Unique in the store.
  public var name: String
  /// Whether the folder is at this snapshot.
  public var isCurrent: Bool
  /// What it means. Where `problem` says that it cannot be read, nothing but its id is known.
  public var snapshot: Snapshot
  /// Why it cannot be read, one line; nil when it can.
  public var problem: String?
  /// It was made by a later version, and is not damaged as far as this one can tell.
  public var isNewer = false
}

/// A deleted name and what it meant.
public struct DeletedState: Equatable, Sendable {
  /// Free now.
  public var name: String
  /// What it meant.
  public var snapshot: SnapshotID
}

/// A name that was changed.
public struct RenamedState: Equatable, Sendable {
  /// Free now.
  public var oldName: String
  /// In its place.
  public var newName: String
  /// What both mean.
  public var snapshot: SnapshotID
  /// What the new name meant before; nil when it was free.
  public var replaced: SnapshotID?
}
