// What has changed among the names of a remote between two looks.

internal import MementoRemote

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
