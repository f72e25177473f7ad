// Lists the first of many changes and counts the rest. However many paths differ, no more than these are in memory.

internal import MementoStore

extension ChangeList {
  /// Lists what differs between two trees.
  init(
    _ diff: TreeDiff<StoreError>, from old: ObjectID?, to new: ObjectID, _ options: ChangeListOptions
  ) throws(RepositoryError) {
    let hidden = ProtectedPaths(options.hiding.enumerated().map { ($0.offset + 1, $0.element) })
    var list = ChangeList()
    try ChangedPaths.walk(diff, from: old, to: new, PathSelector()) { (path, kind, _, _) in
      if hidden?.covers(path.bytes) == true { return }
      if list.first.count < options.limit {
        list.first.append(Change(path: path, kind: kind))
      } else {
        list.omitted += 1
      }
    }
    list.first.sort { $0.path < $1.path }
    self = list
  }
}

extension Repository {
  /// The paths that differ between two snapshots of a folder; none for values.
  public func changes(
    from old: SnapshotID, to new: SnapshotID, _ options: ChangeListOptions = ChangeListOptions()
  ) throws(RepositoryError) -> ChangeList {
    if old == new { return ChangeList() }
    return try withoutWaiting { () throws(RepositoryError) in
      let before = try record(of: old.object)?.record.tree
      guard let after = try record(of: new.object)?.record.tree else { return ChangeList() }
      return try ChangeList(
        TreeDiff(old: store, new: store, monitor: monitor), from: before, to: after, options)
    }
  }
}
