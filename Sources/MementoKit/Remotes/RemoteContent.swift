// Brings snapshots of remotes here as far as they are needed, so that everything else need not know of remotes.

internal import MementoModel
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct RemoteContent {
  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor

  func bring(
    _ revision: Revision, _ need: Repository.RemoteNeed, at paths: [BytePath]
  ) throws(RepositoryError) {
    guard let (remote, snapshot) = try RemoteNames(repository).snapshot(revision.text) else { return }
    let filter = PathFilter(paths)
    if try isHere(snapshot, need, filter) { return }
    try repository.reaching(remote, .fetching, access, monitor) { (view) throws(RepositoryError) in
      let store = try view.store()
      try fetch(
        [snapshot], need, filter, from: store.store, view.session, holding: try repository.lockForNaming(monitor))
      try view.remember(hasGiven: true)
    }
  }

  /// Whether all that is needed is here. What is damaged here is asked for again.
  func isHere(
    _ snapshot: ObjectID, _ need: Repository.RemoteNeed, _ filter: PathFilter
  ) throws(RepositoryError) -> Bool {
    let store = repository.store
    do throws(StoreError) {
      guard try store.index.contains(snapshot) else { return false }
      var fetch = try SnapshotFetch(from: store, to: store, monitor: monitor)
      try fetch.add([snapshot], need.kind, filter)
      let needsContents = try fetch.needsContents()
      fetch.leave()
      return !needsContents
    } catch {
      guard error.isDamage else { throw RepositoryError(error) }
      return false
    }
  }

  func fetch(
    _ snapshots: [ObjectID], _ need: Repository.RemoteNeed, _ filter: PathFilter, from source: Store,
    _ session: RemoteSession, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) {
    _ = try session.receive { () throws(StoreError) in
      var fetch = try SnapshotFetch(from: source, to: repository.store, monitor: monitor)
      try fetch.add(snapshots, need.kind, filter)
      return try fetch.finish()
    }
  }
}
