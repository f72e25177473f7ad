// How a path differs.

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

  package init(path: BytePath, kind: ChangeKind) {
    self.path = path
    self.kind = kind
  }
}

/// A path that changed, with sizes in bytes; nil where it was no regular file.
public struct SizedChange: Equatable, Sendable {
  /// The path and how it differs.
  public var change: Change
  /// Nil where it was no regular file.
  public var oldSize: UInt64?
  /// Nil where it is no regular file.
  public var newSize: UInt64?

  package init(change: Change, oldSize: UInt64?, newSize: UInt64?) {
    self.change = change
    self.oldSize = oldSize
    self.newSize = newSize
  }
}

extension ChangeKind {
  /// How a name differs; nil when there is nothing to say of it. A folder is named for itself only when it is empty, so that
  /// nothing in it speaks for it, or its metadata changed.
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
        // Whatever happens in a folder moves its time: that alone is no news.
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
