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
    return try repository.reaching(remote, nil, access, monitor) { (view) throws(RepositoryError) in
      try delete(wanted, of: remote, view, isDryRun: isDryRun)
    }
  }

  private func delete(
    _ wanted: [String], of remote: String, _ view: RemoteView, isDryRun: Bool
  ) throws(RepositoryError) -> [DeletedState] {
    let shown = ShownNames(view.table)
    var deleted: [DeletedState] = []
    for text in wanted {
      guard let found = shown[text] else {
        throw RepositoryError(
          .noSuchState, "the remote \(remote) has no state \"\(text)\"", reason: .unknownState,
          revision: Revision("\(remote)/\(text)"))
      }
      deleted.append(DeletedState(name: "\(remote)/\(text)", snapshot: SnapshotID(found.snapshot)))
    }
    if !isDryRun { try view.commit(TableChange(deleting: wanted, of: shown), from: access.host) }
    return deleted
  }
}
