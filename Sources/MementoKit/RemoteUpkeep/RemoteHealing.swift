// Brings here what is damaged or missing here and whole on a remote.

internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct RemoteHealing {
  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor

  /// Asks the remotes one after the other, until all snapshots are whole here. A remote that cannot be asked is noted, and
  /// ends nothing. The caller holds the lock of the store.
  func run(_ snapshots: [ObjectID]) throws(RepositoryError) -> RepairFromRemotes {
    let content = RemoteContent(repository: repository, access: access, monitor: monitor)
    var done = RepairFromRemotes()
    var left: [ObjectID] = []
    for snapshot in snapshots where try !content.isHere(snapshot, .contents, .all) { left.append(snapshot) }
    for name in try RemoteFolder(repository).names() where !left.isEmpty {
      do throws(RepositoryError) {
        try heal(left, from: name, &done)
      } catch {
        if error.code == .cancelled { throw error }
        done.problems.append("\(name): \(error.message)")
      }
      var rest: [ObjectID] = []
      for snapshot in left where try !content.isHere(snapshot, .contents, .all) { rest.append(snapshot) }
      left = rest
    }
    return done
  }

  private func heal(
    _ snapshots: [ObjectID], from name: String, _ done: inout RepairFromRemotes
  ) throws(RepositoryError) {
    let received = try repository.reaching(name, .fetching, access, monitor) {
      (view) throws(RepositoryError) in
      var received = 0
      for snapshot in snapshots { received += try fetch(snapshot, view) }
      try view.remember(hasGiven: received > 0)
      return received
    }
    if received > 0 { done.remotes.append(name) }
    done.blobs += received
  }

  /// 0 when the remote does not have all that is missing here.
  private func fetch(_ snapshot: ObjectID, _ view: RemoteView) throws(RepositoryError) -> Int {
    let remote = try view.store()
    do throws(RepositoryError) {
      return try view.session.receive { () throws(StoreError) in
        var fetch = try SnapshotFetch(from: remote.store, to: repository.store, monitor: monitor)
        try fetch.add([snapshot], .contents)
        return try fetch.finish().blobs
      }
    } catch {
      guard error.code == .damaged else { throw error }
      return 0
    }
  }
}
