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
    let lock = try RemoteLock(repository, name, monitor)
    defer { _ = lock }
    monitor.begin(.fetching)
    let view = try RemoteView(repository, name, access, monitor: monitor)
    let moves = RemoteMoves.between(view.tableBefore, view.table)
    if !options.isDryRun { try view.remember() }
    return FetchSummary(
      remote: name, moves: moves, names: ShownNames(view.table).count, blobs: 0, rawBytes: 0, receivedBytes: 0,
      isCommitted: !options.isDryRun)
  }
}

enum RemoteMoves {
  /// How the names of a remote have changed.
  static func between(_ before: NameTable, _ after: NameTable) -> [RemoteMove] {
    let old = ShownNames(before)
    let new = ShownNames(after)
    var moves: [RemoteMove] = []
    for shown in new {
      guard let was = old[shown.text] else {
        moves.append(RemoteMove(kind: .created, name: shown.text, snapshot: SnapshotID(shown.snapshot)))
        continue
      }
      if was.snapshot != shown.snapshot {
        moves.append(
          RemoteMove(
            kind: .moved, name: shown.text, snapshot: SnapshotID(shown.snapshot), before: SnapshotID(was.snapshot)))
      }
    }
    for shown in old where new[shown.text] == nil {
      moves.append(
        RemoteMove(
          kind: .deletedThere, name: shown.text, snapshot: SnapshotID(shown.snapshot),
          before: SnapshotID(shown.snapshot)))
    }
    return moves.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
