// How a path differs, and what a look at the folder has found.

/// How a path differs. New kinds may be added: a `switch` over kinds needs a `default`.
public struct ChangeKind: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case added
    case modified
    case removed
    case type
    case metadata
    case renamed
  }

  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// The word for it.
  public var description: String { kind.rawValue }

  /// It is only on the newer side.
  public static let added = ChangeKind(.added)
  /// Its content differs.
  public static let modified = ChangeKind(.modified)
  /// It is only on the older side.
  public static let removed = ChangeKind(.removed)
  /// It is another kind of file now.
  public static let type = ChangeKind(.type)
  /// Only mode, owner, time or attributes differ.
  public static let metadata = ChangeKind(.metadata)
  /// The same content is under another path now. Only a comparison says so.
  public static let renamed = ChangeKind(.renamed)
}

/// A path that differs.
public struct Change: Equatable, Sendable {
  /// Relative to the folder.
  public var path: BytePath
  /// How it differs.
  public var kind: ChangeKind
}

/// Where the folder is, and what changed since.
public struct StatusSummary: Equatable, Sendable {
  /// The snapshot at the position; nil when nothing has been saved.
  public var at: Snapshot?
  /// The names that mean it now.
  public var names: [String]
  /// Sorted by path.
  public var changes: [Change]
  /// How many of them are no folders.
  public var counts: ChangeCounts
  /// Notes included.
  public var problems: [Problem]
  /// A restore was interrupted.
  public var isRestorePending: Bool
}
