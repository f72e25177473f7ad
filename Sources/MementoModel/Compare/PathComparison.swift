// Finds what differs between two snapshots below some paths. It opens only trees on or below these paths that are not
// equal.

/// A comparison of two snapshots below some paths.
package struct PathComparison<Failure: BlobFailure> {
  package let diff: TreeDiff<Failure>
  package let selector: PathSelector

  /// `paths`, `pathspecs`: what to compare; everything when there are none. When `isCancelled` returns true, `changes`
  /// throws.
  @inlinable package init(
    source: any BlobSource<Failure>, paths: [BytePath], pathspecs: [Pathspec] = [],
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    diff = TreeDiff(old: source, new: source, isCancelled: isCancelled)
    selector = PathSelector(paths, pathspecs)
  }

  /// Returns the changes from `old` to `new`, sorted by path. If `all` is false, returns one change at most, which
  /// tells whether there are any. Throws when a tree cannot be read, is damaged or has too many entries, and when
  /// cancelled.
  @inlinable package func changes(
    from old: ObjectID?, to new: ObjectID, all: Bool
  ) throws(Failure) -> [SizedChange] {
    var changes: [SizedChange] = []
    var folders: [(path: BytePath, selector: PathSelector)] = [(BytePath(""), selector)]
    try diff.walk(from: old, to: new, label: 0) { (folder, before, after) throws(Failure) in
      guard let name = (after ?? before)?.name, let inside = folders[folder].selector.inside(before, after) else {
        return .pass
      }
      let path = folders[folder].path.appending(name)
      if inside.isMeant, let kind = ChangeKind(before, after) {
        changes.append(
          SizedChange(change: Change(path: path, kind: kind), oldSize: before?.fileSize, newSize: after?.fileSize))
        if !all { return .stop }
      }
      guard before?.isDirectory == true || after?.isDirectory == true else { return .pass }
      folders.append((path, inside))
      return .enter(folders.count - 1)
    }
    return changes.sorted { $0.change.path < $1.change.path }
  }
}

extension TreeEntry {
  /// The size in bytes of a regular file. Nil for anything else.
  package var fileSize: UInt64? {
    if case .file(let size, _) = content { return size }
    return nil
  }
}
