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
    let lock = try RemoteLock(repository, remote, monitor)
    defer { _ = lock }
    monitor.begin(.fetching)
    let view = try RemoteView(repository, remote, access, monitor: monitor)
    let store = try view.store()
    try fetch(snapshot, need, filter, from: store.store, view.session, holding: try repository.lockForNaming(monitor))
    try view.remember(hasGiven: true)
  }

  /// Whether all that is needed is here. What is damaged here is asked for again.
  private func isHere(
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
    _ snapshot: ObjectID, _ need: Repository.RemoteNeed, _ filter: PathFilter, from source: Store,
    _ session: RemoteSession, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) {
    _ = try session.attempt { () throws(StoreError) in
      var fetch = try SnapshotFetch(from: source, to: repository.store, monitor: monitor)
      try fetch.add([snapshot], need.kind, filter)
      return try fetch.finish()
    }
  }
}

/// What names of remotes mean, as of the last look.
struct RemoteNames {
  private let repository: Repository

  init(_ repository: Repository) {
    self.repository = repository
  }

  /// The snapshot of `REMOTE/NAME`. Nil when there is no such remote or name.
  func snapshot(_ text: String) throws(RepositoryError) -> (remote: String, snapshot: ObjectID)? {
    guard let (remote, name) = RemoteName.split(text) else { return nil }
    let folder = RemoteFolder(repository)
    guard let entry = try folder.entryIfKnown(remote) else { return nil }
    let table = try RemoteView.memory(of: remote, folder, entry).table
    return ShownNames(table)[name].map { (remote, $0.snapshot) }
  }

  /// All names of a remote.
  func all(_ remote: String) throws(RepositoryError) -> ShownNames {
    let folder = RemoteFolder(repository)
    return ShownNames(try RemoteView.memory(of: remote, folder, try folder.entry(remote)).table)
  }
}

struct RemoteStateListing {
  let repository: Repository

  func run(_ remote: String) throws(RepositoryError) -> [RemoteState] {
    var result: [RemoteState] = []
    for shown in try RemoteNames(repository).all(remote) {
      result.append(
        RemoteState(
          name: "\(remote)/\(shown.text)", snapshot: SnapshotID(shown.snapshot), host: shown.value.host,
          time: SnapshotTime(shown.value.moved), isLocal: try repository.isStored(shown.snapshot)))
    }
    return result
  }
}
