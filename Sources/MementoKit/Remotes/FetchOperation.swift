// Asks a remote which names it has.

internal import MementoRemote
internal import MementoStore

struct FetchOperation {
  let repository: Repository
  let options: FetchOptions
  let access: RemoteAccess
  let monitor: any Monitor

  func run() throws(RepositoryError) -> FetchSummary {
    let name = try RemoteList(repository: repository).chosen(options.remote)
    return try repository.reaching(name, .fetching, access, monitor) { (view) throws(RepositoryError) in
      if !options.isDryRun { try view.remember() }
      return FetchSummary(
        remote: name, moves: RemoteMoves.between(view.tableBefore, view.table), names: ShownNames(view.table).count,
        blobs: 0, rawBytes: 0, receivedBytes: 0, isCommitted: !options.isDryRun)
    }
  }
}
