// What the operations on states return: states that were listed, deleted or renamed.

/// A state in a list.
public struct ListedState: Equatable, Sendable {
  /// The name, which is unique in the store.
  public var name: String
  /// Whether the folder is at this snapshot.
  public var isCurrent: Bool
  /// The snapshot of the state. Where `problem` is set, only its id is known.
  public var snapshot: Snapshot
  /// Why the snapshot cannot be read, in one line; nil when it can be read.
  public var problem: String?
  /// A later version wrote the snapshot. As far as this version can tell, it is not damaged.
  public var isNewer = false
}

/// A name that was deleted, and its snapshot.
public struct DeletedState: Equatable, Sendable {
  /// The name, which is free now.
  public var name: String
  /// The snapshot that the name meant.
  public var snapshot: SnapshotID
}

/// A state that got another name.
public struct RenamedState: Equatable, Sendable {
  /// The former name, which is free now.
  public var oldName: String
  /// The new name.
  public var newName: String
  /// The snapshot of the state.
  public var snapshot: SnapshotID
  /// The snapshot that the new name meant before; nil when the name was free.
  public var replaced: SnapshotID?
}
