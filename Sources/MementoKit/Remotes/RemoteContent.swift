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
    let filter = PathFilter(paths)
    try reachingHolder(revision.text, need, filter) { (snapshot, view) throws(RepositoryError) in
      try bring(snapshot, need, filter, from: view)
    }
  }

  /// Restores a snapshot into a new or empty folder. The contents of files that are not here are read from the remote, and
  /// are not kept.
  func restore(
    _ revision: Revision, to destination: BytePath, _ options: ExtractOptions
  ) throws(RepositoryError) -> RestoreSummary {
    let operation = ExtractOperation(repository: repository, options: options, monitor: monitor)
    // With patterns, the whole tree decides what they select.
    let filter = PathFilter(options.pathspecs.isEmpty ? options.paths : [])
    var summary: RestoreSummary?
    try reachingHolder(revision.text, options.isDryRun ? .trees : .contents, filter) {
      (snapshot, view) throws(RepositoryError) in
      if options.isDryRun { return try bring(snapshot, .trees, filter, from: view) }
      try bring(snapshot, .lists, filter, from: view)
      var reading = operation
      let distant = DistantContents(try view.store().store)
      reading.distant = distant
      do throws(RepositoryError) {
        summary = try reading.run(revision, to: destination)
      } catch {
        guard error.code != .cancelled, let failure = distant.failure else { throw error }
        let problems = error.problems
        do throws(RepositoryError) {
          try view.session.receive { () throws(StoreError) in throw failure }
        } catch {
          var said = error
          said.problems = problems
          throw said
        }
      }
    }
    if let summary { return summary }
    return try operation.run(revision, to: destination)
  }

  /// Runs `body` with the snapshot that a text names and the remote that has it, if it is one of a remote and something that is
  /// needed is not here.
  private func reachingHolder(
    _ text: String, _ need: Repository.RemoteNeed, _ filter: PathFilter,
    _ body: (ObjectID, RemoteView) throws(RepositoryError) -> Void
  ) throws(RepositoryError) {
    var found = try RemoteNames(repository).snapshot(text)
    if found == nil { found = try byDigits(text) }
    guard let (remote, snapshot) = found else {
      if try reachingUnseen(text, need, filter, body) { return }
      return try checkIsHere(text, need, filter)
    }
    if try isHere(snapshot, need, filter) { return }
    try repository.reaching(remote, .fetching, access, monitor) { (view) throws(RepositoryError) in
      try body(snapshot, view)
    }
  }

  private func bring(
    _ snapshot: ObjectID, _ need: Repository.RemoteNeed, _ filter: PathFilter, from view: RemoteView
  ) throws(RepositoryError) {
    let store = try view.store()
    try fetch(
      [snapshot], need, filter, from: store.store, view.session, holding: try repository.lockForNaming(monitor))
    try view.remember(hasGiven: true)
  }

  /// Asks the remote that a text begins with, when nothing here means the text: the remote may never have been looked at,
  /// or the name may be newer than the last look. False when the text begins with no remote.
  private func reachingUnseen(
    _ text: String, _ need: Repository.RemoteNeed, _ filter: PathFilter,
    _ body: (ObjectID, RemoteView) throws(RepositoryError) -> Void
  ) throws(RepositoryError) -> Bool {
    guard let (remote, rest) = RemoteName.split(text), RefName(rest) != nil,
      try RemoteFolder(repository).entryIfKnown(remote) != nil, try repository.readRefs()[text] == nil
    else { return false }
    try repository.reaching(remote, .fetching, access, monitor) { (view) throws(RepositoryError) in
      // Whoever resolves the text says that there is no such name, if the remote has none either.
      guard let shown = ShownNames(view.table)[rest], try !isHere(shown.snapshot, need, filter) else {
        return try view.remember()
      }
      try body(shown.snapshot, view)
    }
    return true
  }

  /// The snapshot of a remote that digits of its id name, unless something here names it, too: that is here as a whole.
  private func byDigits(_ text: String) throws(RepositoryError) -> (remote: String, snapshot: ObjectID)? {
    guard RemoteContent.areDigits(text) else { return nil }
    let refs = try repository.readRefs()
    guard refs[text] == nil else { return nil }
    let found = try RemoteNames(repository).snapshots(beginningWith: Array(text.lowercased().utf8))
    guard found.count == 1, let (snapshot, remote) = found.first, !refs.keeps(snapshot) else { return nil }
    return (remote, snapshot)
  }

  private static func areDigits(_ text: String) -> Bool {
    text.utf8.count >= 4
      && text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x66) }
  }

  /// Of a snapshot that nothing here names and that no remote names any more, there may be a part that was brought. Throws
  /// `.noSuchState` when it is not enough.
  private func checkIsHere(
    _ text: String, _ need: Repository.RemoteNeed, _ filter: PathFilter
  ) throws(RepositoryError) {
    guard RemoteContent.areDigits(text), let snapshot = ObjectID(Array(text.lowercased().utf8)),
      try RemoteFolder(repository).hasReceived(), try !repository.readRefs().keeps(snapshot),
      try repository.isStored(snapshot), try !isHere(snapshot, need, filter)
    else { return }
    throw RepositoryError(
      .noSuchState, "only a part of the snapshot \(snapshot.short) is here, and no remote is known to have it")
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
