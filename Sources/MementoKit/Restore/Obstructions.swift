// What is ignored, and lies where a restore puts something. It is not left alone: it is walked like everything else, so
// that it is saved before it is overwritten.

internal import MementoStore
internal import MementoSystem

struct Obstructions {
  let repository: Repository
  let walk: FolderWalk

  /// The folder with what stands in the way of `target`, and whether that holds anything which the target has not.
  func include(
    _ now: ArchivedTree, before target: ObjectID
  ) throws(RepositoryError) -> (now: ArchivedTree, hasUnsaved: Bool) {
    // Nothing was ignored: what is not in the tree is not there.
    guard now.ignored > 0 else { return (now, false) }
    let places = try find(now.tree, target)
    if places.isEmpty { return (now, false) }
    let whole = try walk.run(wanting: target)
    let source = walk.source
    let hasUnsaved = try translating { () throws(StoreError) -> Bool in
      for place in places {
        guard let present = try TreePath.entry(place, in: whole.tree, source) else { continue }
        let wanted = try TreePath.entry(place, in: target, source)
        if present != wanted { return true }
      }
      return false
    }
    return (whole, hasUnsaved)
  }

  /// Places where the target has something, the walk has found nothing, and something is.
  private func find(_ now: ObjectID, _ target: ObjectID) throws(RepositoryError) -> [BytePath] {
    var handles = [DirectoryHandle(root: repository.root, pool: HandlePool())]
    var places: [BytePath] = []
    let source = walk.source
    try translating { () throws(StoreError) in
      try TreeDiff(old: source, new: source).walk(from: now, to: target, label: 0) {
        (label, old, new) throws(StoreError) in
        guard let new else { return nil }
        let handle = handles[label]
        guard let old else {
          if (try? handle.open().descriptor.exists(new.name)) == true { places.append(handle.path(of: new.name)) }
          return nil
        }
        // A folder that has to go may hold what is ignored.
        if old.isDirectory, !new.isDirectory { places.append(handle.path(of: new.name)) }
        guard old.isDirectory, new.isDirectory else { return nil }
        handles.append(DirectoryHandle(parent: handle, name: new.name))
        return handles.count - 1
      }
    }
    return places
  }
}
