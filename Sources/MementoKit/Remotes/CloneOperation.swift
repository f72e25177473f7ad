// Makes a working folder from a remote. Each step leaves something that the next call goes on from.

internal import MementoModel
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct CloneOperation {
  static let remoteName = "origin"

  let url: RemoteURL
  let folder: BytePath
  let options: OpenOptions
  /// See `RestoreOptions`.
  let asRecorded: Bool
  let access: RemoteAccess
  let monitor: any Monitor

  func run() throws(RepositoryError) -> CloneSummary {
    // Nothing is made before the remote was reached and opened.
    return try clone(RemoteSession(nil, url, access, expecting: nil, monitor: monitor))
  }

  /// `session`: the connection to the remote, which all steps use.
  private func clone(_ session: RemoteSession) throws(RepositoryError) -> CloneSummary {
    let repository = try open()
    // A clone that was interrupted while it filled the folder.
    let continued =
      try repository.readRefs().pending == nil
      ? nil : try repository.continueRestore(asRecorded: asRecorded, monitor: monitor)
    var addition = RemoteAddition(repository: repository, access: access, monitor: monitor)
    addition.mayFound = false
    _ = try addition.run(CloneOperation.remoteName, url, RemoteAddOptions())
    var fetching = FetchOptions()
    fetching.remote = CloneOperation.remoteName
    let fetched = try repository.pull(fetching, access: access, monitor: monitor)
    let restored = try restore(repository) ?? continued
    extendLifetime(session)
    return CloneSummary(folder: repository.folder, fetch: fetched, restore: restored)
  }

  /// The repository of the folder: a new one, or that of a clone that was interrupted.
  private func open() throws(RepositoryError) -> Repository {
    try checkFolder()
    let repository = try Repository.openOrCreate(folder: folder, options: options)
    if let known = try RemoteFolder(repository).entryIfKnown(CloneOperation.remoteName), known.url == url {
      return repository
    }
    let refs = try repository.readRefs()
    guard refs.states.isEmpty, refs.timeline.steps.isEmpty, refs.pending == nil, try repository.remotes().isEmpty else {
      throw RepositoryError(
        .storeExists, "there is a store already: \(repository.storePath)", path: repository.storePath)
    }
    return repository
  }

  /// Throws `.notEmpty` when the folder holds files and no store.
  private func checkFolder() throws(RepositoryError) {
    do throws(Errno) {
      let found: Descriptor
      do throws(Errno) {
        found = try Descriptor.open(folder.bytes, .namedDirectory)
      } catch {
        if error == .notFound { return }
        throw error
      }
      let listing = try DirectoryListing(reading: found)
      let names = (0..<listing.count).map { listing.name(at: $0) }
      if names.isEmpty || names.contains(ReservedName.store) { return }
    } catch {
      throw RepositoryError(
        .system, "cannot read the folder \(folder): \(error)", path: folder, systemError: error.code)
    }
    throw RepositoryError(
      .notEmpty, "\(folder) is not empty", reason: .occupiedDestination, path: folder)
  }

  /// Brings the folder to the position of the newest push, with the timeline if that was pushed. The summary is nil when
  /// the remote knows no position, or the folder is there already.
  private func restore(_ repository: Repository) throws(RepositoryError) -> RestoreSummary? {
    let refs = try repository.readRefs()
    let folder = RemoteFolder(repository)
    let entry = try folder.entry(CloneOperation.remoteName)
    let table = try folder.memory(of: CloneOperation.remoteName, entry).table
    guard let position = table.newestPosition else { return nil }
    var summary: RestoreSummary?
    if refs.timeline.current == nil {
      try bring(position.snapshot, to: repository)
      var options = RestoreOptions()
      options.savesEmptyFolder = false
      options.asRecorded = asRecorded
      summary = try repository.restore(Revision("\(position.snapshot)"), options, monitor: monitor)
    }
    if let steps = position.steps { try takeOver(steps, from: position.snapshot, repository) }
    return summary
  }

  /// Brings the content of a position that no name means.
  private func bring(_ snapshot: ObjectID, to repository: Repository) throws(RepositoryError) {
    let content = RemoteContent(repository: repository, access: access, monitor: monitor)
    // Its record may be here without the rest.
    if try content.isHere(snapshot, .contents, .all) { return }
    try repository.reaching(CloneOperation.remoteName, .fetching, access, monitor) {
      (view) throws(RepositoryError) in
      try content.fetch(
        [snapshot], .contents, .all, from: try view.store().store, view.session,
        holding: try repository.lockForNaming(monitor))
      try view.remember(hasGiven: true)
    }
  }

  /// Makes the timeline of the newest push that of this folder, which has gone no step yet but the one to `position`.
  private func takeOver(
    _ steps: ObjectID, from position: ObjectID, _ repository: Repository
  ) throws(RepositoryError) {
    if try !CloneOperation.isNew(repository.readRefs(), at: position) { return }
    let content = RemoteContent(repository: repository, access: access, monitor: monitor)
    try repository.reaching(CloneOperation.remoteName, .fetching, access, monitor) {
      (view) throws(RepositoryError) in
      let remote = try view.store().store
      let bytes = try view.session.receive { () throws(StoreError) in try remote.read(steps) }
      let timeline = try view.session.attempt { () throws(RemoteError) in try PushedTimeline.timeline(bytes) }
      let lock = try repository.lockForNaming(monitor)
      try content.fetch(
        Set(timeline.steps.map(\.snapshot)).sorted(), .contents, .all, from: remote, view.session, holding: lock)
      _ = try repository.updateRefsIfWanted(holding: lock) { (refs) throws(RepositoryError) in
        guard CloneOperation.isNew(refs, at: position), let step = refs.timeline.current else { return false }
        refs.timeline = timeline
        // A later push may have brought a position without the steps to it.
        if timeline.current?.snapshot != position { refs.timeline.append(step) }
        return true
      }
      try view.remember(hasGiven: true)
    }
  }

  private static func isNew(_ refs: Refs, at position: ObjectID) -> Bool {
    refs.pending == nil && refs.timeline.steps.count == 1 && refs.timeline.current?.snapshot == position
      && refs.timeline.current?.operation == .restore
  }
}
