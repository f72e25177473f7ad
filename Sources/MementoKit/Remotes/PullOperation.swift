// Brings the names of a remote here, with their content.

internal import MementoModel
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct PullOperation {
  let repository: Repository
  let options: FetchOptions
  let access: RemoteAccess
  let monitor: any Monitor

  func run() throws(RepositoryError) -> FetchSummary {
    let name = try RemoteList(repository: repository).chosen(options.remote)
    return try repository.reaching(name, .fetching, access, monitor) { (view) throws(RepositoryError) in
      try pull(from: view, holding: try repository.lockForNaming(monitor, changes: !options.isDryRun))
    }
  }

  private func pull(
    from view: RemoteView, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> FetchSummary {
    let wanted = try wantedNames(view.table)
    let planned = PulledNames(
      local: try RefName.states(of: repository.readRefs()), wanted: wanted, bases: view.memory.bases, table: view.table)
    // What a name means there can be read here afterwards, also where it does not move.
    let snapshots = Set(planned.names.flatMap { $0.values.map(\.snapshot) }).sorted()
    var unusable: [String] = []
    let remote = try view.store()
    let received = try view.session.receive { () throws(StoreError) in
      var fetch = try SnapshotFetch(from: remote.store, to: repository.store, monitor: monitor)
      try fetch.add(snapshots, .contents)
      return options.isDryRun ? try fetch.discard() : try fetch.finish()
    }
    var pulled = planned
    if !options.isDryRun {
      // The names may have moved here meanwhile, so what moves is decided anew.
      pulled = try repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in
        let now = PulledNames(
          local: try RefName.states(of: refs), wanted: wanted, bases: view.memory.bases, table: view.table)
        unusable = []
        var spellings = UsedSpellings(refs.states)
        for name in now.names where name.outcome == .new || name.outcome == .moved {
          guard let snapshot = name.result else { continue }
          if name.outcome == .new, try !isUsable(name.name.text, in: refs, &spellings) {
            unusable.append(name.name.text)
          } else {
            refs[name.name.text] = snapshot
          }
        }
        return now
      }
      let time = Clock.now()
      repository.journal(
        pulled.names.filter { isMove($0) && !unusable.contains($0.name.text) }.map {
          repository.journalEntry("name", snapshot: $0.result, name: $0.name.text, at: time)
        })
      // A name that did not come is not known here, and is offered again.
      view.memory.bases = pulled.bases.filter { !unusable.contains($0.key.text) }
      try view.remember(hasGiven: true)
    }
    let shown = ShownNames(view.table)
    return FetchSummary(
      remote: view.name,
      moves: pulled.names.filter { !unusable.contains($0.name.text) }.flatMap { moves($0, shown) },
      names: shown.count, blobs: received.blobs, rawBytes: received.rawBytes,
      receivedBytes: received.receivedBytes, unusableNames: unusable, isCommitted: !options.isDryRun)
  }

  private func wantedNames(_ table: NameTable) throws(RepositoryError) -> Set<RefName>? {
    if options.names.isEmpty { return nil }
    return try RefName.chosen(options.names, of: table.names.keys, place: "the remote has")
  }

  private func isMove(_ name: PulledName) -> Bool { name.outcome == .new || name.outcome == .moved }

  /// Whether a state here can have the name of a state there, which others chose.
  private func isUsable(
    _ name: String, in refs: Refs, _ spellings: inout UsedSpellings
  ) throws(RepositoryError) -> Bool {
    do throws(RepositoryError) {
      try StateName.validate(name)
      try repository.checkName(name, in: refs, &spellings)
      return true
    } catch {
      guard error.code == .invalidName || error.code == .nameInUse else { throw error }
      return false
    }
  }

  /// What is said of a name. Values that it has there beside the one that it has here now are told, too: what it means here
  /// later is made by one who has heard of them, and replaces them.
  private func moves(_ pulled: PulledName, _ shown: ShownNames) -> [RemoteMove] {
    var moves = [move(pulled)].compactMap { $0 }
    guard pulled.isConflictThere, [.new, .moved, .same].contains(pulled.outcome), let result = pulled.result,
      let other = shown.all(of: pulled.name).first(where: { $0.snapshot != result })
    else { return moves }
    moves.append(
      RemoteMove(kind: .conflict, name: pulled.name.text, snapshot: SnapshotID(result), otherName: other.text))
    return moves
  }

  private func move(_ pulled: PulledName) -> RemoteMove? {
    let name = pulled.name.text
    switch pulled.outcome {
    case .new:
      return pulled.result.map { RemoteMove(kind: .created, name: name, snapshot: SnapshotID($0)) }
    case .moved:
      return pulled.result.map {
        RemoteMove(
          kind: .moved, name: name, snapshot: SnapshotID($0), before: pulled.local.map { SnapshotID($0) })
      }
    case .movedOnBothSides:
      return pulled.local.map {
        RemoteMove(kind: .conflict, name: name, snapshot: SnapshotID($0), otherName: name)
      }
    case .deletedThere:
      return pulled.local.map { RemoteMove(kind: .deletedThere, name: name, snapshot: SnapshotID($0)) }
    case .same, .ahead, .deletedHere:
      return nil
    }
  }
}
