// Restores chosen pieces of a snapshot. It composes the folder with these pieces, and then is a restore of the paths that
// differ: what is there is saved first, undo takes it back, and an interrupted one is finished or taken back like any other.

internal import MementoStore
internal import MementoSystem

struct PatchRestore {
  let repository: Repository
  let patch: RestorePatch
  let isDryRun: Bool
  let asRecorded: Bool
  let monitor: any Monitor

  func run(_ choices: [PatchChoice]) throws(RepositoryError) -> PatchSummary {
    guard Set(choices.map(\.path.bytes)).count == choices.count else {
      throw RepositoryError(.invalidArgument, "a path was chosen twice")
    }
    let lock = try repository.lockForRestoring(monitor, changes: !isDryRun)
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    let id = patch.snapshot.id.object
    guard try repository.isStored(id), let from = try repository.record(of: id), let tree = from.tree else {
      throw RepositoryError(.noSuchState, "the snapshot \(id.short) is not kept any more", reason: .collectedSnapshot)
    }
    let settings = RestoreSession.Settings(isDryRun: isDryRun, asRecorded: asRecorded, isStoring: !isDryRun)
    return try RestoreSession.begin(repository, refs, settings, monitor, holding: lock) {
      (session) throws(RepositoryError) in
      var composition = PatchComposition(
        source: session.walk.source, writer: session.walk.writer,
        chunker: Chunker(sizes: repository.store.config.chunkSizes), now: session.now.tree, target: tree)
      for choice in choices {
        try translating { () throws(StoreError) in try composition.add(choice) }
      }
      let restored = try restore(composition, of: from, refs, &session, holding: lock)
      return PatchSummary(from: Snapshot(from), restore: restored, changed: composition.changed.sorted())
    }
  }

  private func restore(
    _ composition: PatchComposition, of from: StoredSnapshot, _ refs: Refs, _ session: inout RestoreSession,
    holding lock: borrowing StoreLock<ChangesFolder>
  ) throws(RepositoryError) -> RestoreSummary {
    let walk = session.walk
    let now = session.now
    let lists = SnapshotLists(repository)
    let source = walk.source
    let edited = try translating { () throws(StoreError) in
      try composition.edits.applied(to: now.tree, source, walk.writer)
    }
    // A source knows only what was stored before it was made.
    let made = walk.source
    let paths = try PathExpansion(source: made, monitor: monitor).differing(
      PathSelector(), from: now.tree, to: edited, inFolders: true)
    if paths.isEmpty { return try nothing(refs, session, from) }
    var tree = now
    tree.tree = edited
    let links = try lists.links(of: from.record)
    tree.links = try translating { () throws(StoreError) in
      try composition.links(now: now.links, target: links, of: edited, in: made)
    }
    // What the snapshot could not record is not removed.
    tree.problems = try lists.unrecorded(of: from.record)
    let record = try walk.record(tree, since: nil)
    let target = StoredSnapshot(try walk.store(record), record)
    // The restore reads composed texts from the store.
    if !isDryRun { try walk.finishPacks() }
    var options = RestoreOptions()
    options.paths = paths
    options.isDryRun = isDryRun
    options.asRecorded = asRecorded
    let label = StepLabel(name: RestoreOperation.label(of: from, Revision(from.id.short), refs))
    let operation = RestoreOperation(repository: repository, options: options, monitor: monitor)
    var summary = try operation.restore(target, label: label, refs, &session, holding: lock)
    if let position = try repository.recordAtPosition(try repository.readRefs()) {
      summary.snapshot = Snapshot(position)
    }
    return summary
  }

  private func nothing(
    _ refs: Refs, _ session: RestoreSession, _ from: StoredSnapshot
  ) throws(RepositoryError) -> RestoreSummary {
    RestoreSummary(
      snapshot: Snapshot(try repository.recordAtPosition(refs) ?? from), guard: nil, created: 0, replaced: 0,
      removed: 0, metadata: 0, bytesWritten: 0, rescued: [], problems: session.now.problems.filter { !$0.isNote },
      plan: [], isCommitted: !isDryRun)
  }
}
