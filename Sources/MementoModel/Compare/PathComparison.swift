// What differs between two snapshots below some paths. Nothing beside these paths is opened, and nothing that is equal.

package struct PathComparison<Failure: BlobFailure> {
  package let diff: TreeDiff<Failure>
  package let filter: PathFilter

  /// All that differs when there are no paths.
  @inlinable package init(
    source: any BlobSource<Failure>, paths: [BytePath], isCancelled: @escaping @Sendable () -> Bool
  ) {
    diff = TreeDiff(old: source, new: source, isCancelled: isCancelled)
    filter = PathFilter(paths)
  }

  /// Sorted by path. Not `all`: as many as were found by the time that one was, which is enough to know that there are
  /// any.
  @inlinable package func changes(
    from old: ObjectID?, to new: ObjectID, all: Bool
  ) throws(Failure) -> [SizedChange] {
    var changes: [SizedChange] = []
    var folders: [(path: BytePath, filter: PathFilter)] = [(BytePath(""), filter)]
    try diff.walk(from: old, to: new, label: 0) { (folder, before, after) throws(Failure) in
      if !all, !changes.isEmpty { return nil }
      guard let name = (after ?? before)?.name, let inside = folders[folder].filter.inside(name) else { return nil }
      let path = folders[folder].path.appending(name)
      if inside.isAll, let kind = ChangeKind(before, after) {
        changes.append(
          SizedChange(change: Change(path: path, kind: kind), oldSize: before?.fileSize, newSize: after?.fileSize))
      }
      guard before?.isDirectory == true || after?.isDirectory == true else { return nil }
      folders.append((path, inside))
      return folders.count - 1
    }
    return changes.sorted { $0.change.path < $1.change.path }
  }
}

extension TreeEntry {
  /// Of a regular file, bytes.
  package var fileSize: UInt64? {
    if case .file(let size, _) = content { return size }
    return nil
  }
}
