// The changes of paths between two sides.

/// How a path differs. New kinds may be added, so a `switch` over kinds needs a `default`.
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

  /// The name of the kind in English, such as `added`.
  public var description: String { kind.rawValue }

  /// The path is only on the newer side.
  public static let added = ChangeKind(.added)
  /// The content of the file differs.
  public static let modified = ChangeKind(.modified)
  /// The path is only on the older side.
  public static let removed = ChangeKind(.removed)
  /// The path has another type of file now.
  public static let type = ChangeKind(.type)
  /// Only mode, owner, time or extended attributes differ.
  public static let metadata = ChangeKind(.metadata)
  /// The same content is now under another path. Only a comparison of two sides reports this kind.
  public static let renamed = ChangeKind(.renamed)
}

/// A path that differs.
public struct Change: Equatable, Sendable {
  /// Relative to the folder.
  public var path: BytePath
  /// How it differs.
  public var kind: ChangeKind

  package init(path: BytePath, kind: ChangeKind) {
    self.path = path
    self.kind = kind
  }
}

/// A path that changed, with its sizes in bytes.
public struct SizedChange: Equatable, Sendable {
  /// The path and how it differs.
  public var change: Change
  /// The size before. Nil when the path was not a regular file.
  public var oldSize: UInt64?
  /// The size now. Nil when the path is not a regular file.
  public var newSize: UInt64?

  package init(change: Change, oldSize: UInt64?, newSize: UInt64?) {
    self.change = change
    self.oldSize = oldSize
    self.newSize = newSize
  }
}

extension ChangeKind {
  /// How an entry differs between two sides. Nil when it is not reported. An added or removed folder is reported only
  /// when it is empty, since otherwise its files are reported. A folder on both sides is reported only when its
  /// metadata changed.
  package init?(_ old: TreeEntry?, _ new: TreeEntry?) {
    switch (old, new) {
    case (nil, nil): return nil
    case (nil, let new?):
      guard new.tree == nil || new.tree == TreeFormat.empty else { return nil }
      self = .added
    case (let old?, nil):
      guard old.tree == nil || old.tree == TreeFormat.empty else { return nil }
      self = .removed
    case (let old?, let new?):
      if old.content.kind != new.content.kind {
        self = .type
      } else if old.isDirectory {
        // Any change in a folder changes its modification time, so that alone is not reported.
        var before = old.metadata
        before.modified = new.metadata.modified
        if before == new.metadata { return nil }
        self = .metadata
      } else {
        self = old.content == new.content ? .metadata : .modified
      }
    }
  }
}
