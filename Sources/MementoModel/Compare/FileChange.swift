// One path that differs between two sides, with what it is on each.

/// A path that differs.
public struct FileChange: Equatable, Sendable {
  /// Relative to the folder; of a rename, the new one.
  public var path: BytePath
  /// How it differs.
  public var kind: ChangeKind
  /// Where a renamed file was.
  public var oldPath: BytePath?
  /// What it was; nil when it was added.
  public var old: FileEntry?
  /// What it is; nil when it was removed.
  public var new: FileEntry?

  package init(path: BytePath, kind: ChangeKind, oldPath: BytePath?, old: FileEntry?, new: FileEntry?) {
    self.path = path
    self.kind = kind
    self.oldPath = oldPath
    self.old = old
    self.new = new
  }

  /// A change of type as what it amounts to: something went, and something else came. Any other change as it is.
  public var halves: [FileChange] {
    guard kind == .type else { return [self] }
    return [
      FileChange(path: path, kind: .removed, oldPath: nil, old: old, new: nil),
      FileChange(path: path, kind: .added, oldPath: nil, old: nil, new: new),
    ]
  }
}
