// A path that differs between two sides, with its entry on each side.

/// A path that differs.
public struct FileChange: Equatable, Sendable {
  /// Relative to the folder. For a rename, the new path.
  public var path: BytePath
  /// How it differs.
  public var kind: ChangeKind
  /// For a rename, the old path.
  public var oldPath: BytePath?
  /// The entry on the older side. Nil when it was added.
  public var old: FileEntry?
  /// The entry on the newer side. Nil when it was removed.
  public var new: FileEntry?

  package init(path: BytePath, kind: ChangeKind, oldPath: BytePath?, old: FileEntry?, new: FileEntry?) {
    self.path = path
    self.kind = kind
    self.oldPath = oldPath
    self.old = old
    self.new = new
  }

  /// A change of type as two changes: one entry removed, another one added. Any other change as it is.
  public var halves: [FileChange] {
    guard kind == .type else { return [self] }
    return [
      FileChange(path: path, kind: .removed, oldPath: nil, old: old, new: nil),
      FileChange(path: path, kind: .added, oldPath: nil, old: nil, new: new),
    ]
  }
}
