// Deletes names of a remote.

internal import MementoModel
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct RemoteDeletion {
  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor

  /// `names`: `REMOTE/NAME`, all of one remote.
  func run(_ names: [String], isDryRun: Bool) throws(RepositoryError) -> [DeletedState] {
    var remote: String?
    var wanted: [String] = []
    for text in names {
      guard let (name, rest) = RemoteName.split(text), remote == nil || remote == name else {
        throw RepositoryError(.invalidArgument, "\"\(text)\" is not a state of the remote \(remote ?? "")")
      }
      remote = name
      wanted.append(rest)
    }
    guard let remote else { return [] }
    let lock = try RemoteLock(repository, remote, monitor)
    defer { _ = lock }
    let view = try RemoteView(repository, remote, access, monitor: monitor)
    let shown = ShownNames(view.table)
    var change = TableChange()
    var deleted: [DeletedState] = []
    for text in wanted {
      guard let found = shown[text] else {
        throw RepositoryError(
          .noSuchState, "the remote \(remote) has no state \"\(text)\"", reason: .unknownState,
          revision: Revision("\(remote)/\(text)"))
      }
      change.removals[found.name, default: []] += found.dots
      deleted.append(DeletedState(name: "\(remote)/\(text)", snapshot: SnapshotID(found.snapshot)))
    }
    if !isDryRun {
      try RemoteCommit(view: view, access: access).run(change)
      try view.remember()
    }
    return deleted
  }
}
