// `revert`: takes back what changed between two snapshots, and keeps what was changed since. It composes the folder
// without these changes, and then is a restore of the paths that differ: what is there is saved first, undo takes it back,
// and an interrupted one is finished or taken back like any other.

internal import MementoStore
internal import MementoSystem

struct RevertOperation {
  let repository: Repository
  let options: RevertOptions
  let monitor: any Monitor

  func run(from without: Revision, to with: Revision) throws(RepositoryError) -> RevertSummary {
    let lock = try repository.lockForRestoring(monitor, changes: !options.isDryRun)
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    let resolver = RevisionResolver(repository, refs)
    let ends = (try tree(without, resolver), try tree(with, resolver))
    let settings = RestoreSession.Settings(
      isDryRun: options.isDryRun, asRecorded: options.asRecorded, isStoring: !options.isDryRun)
    return try RestoreSession.begin(repository, refs, settings, monitor, holding: lock) {
      (session) throws(RepositoryError) in
      let labels = ThreeWayMerge.Labels(ours: "present", base: "\(with)", theirs: "\(without)")
      var merge = EntryMerge(repository, session.walk, labels, isPlan: options.isDryRun)
      let edits = try edits(ends.0.tree, ends.1.tree, session, &merge)
      let label = StepLabel(
        name: RestoreOperation.label(of: ends.0.snapshot, without, refs),
        until: RestoreOperation.label(of: ends.1.snapshot, with, refs))
      let restored = try restore(edits, at: ends.1, label, refs, &session, holding: lock)
      return RevertSummary(
        from: Snapshot(ends.0.snapshot), to: Snapshot(ends.1.snapshot), restore: restored,
        merged: merge.merged.sorted(), conflicts: merge.conflicts.sorted { $0.path < $1.path })
    }
  }

  private typealias End = (snapshot: StoredSnapshot, tree: ObjectID)

  private func tree(_ revision: Revision, _ resolver: RevisionResolver) throws(RepositoryError) -> End {
    let snapshot = try resolver.resolve(revision)
    guard let tree = snapshot.tree else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueHasNoFiles, revision: revision)
    }
    return (snapshot, tree)
  }

  // MARK: What changes

  private func edits(
    _ without: ObjectID, _ with: ObjectID, _ session: RestoreSession, _ merge: inout EntryMerge
  ) throws(RepositoryError) -> TreeEdits {
    let source = session.walk.source
    if !options.paths.isEmpty || !options.pathspecs.isEmpty {
      try PathExpansion(source: source, monitor: monitor).check(
        options.paths, options.pathspecs, in: [without, with], neither: "neither of the two snapshots")
    }
    // First all paths that differ, and then what becomes of each: that may need contents.
    var edits = TreeEdits()
    var folders = [(path: BytePath(""), selector: PathSelector(options.paths, options.pathspecs))]
    var files: [EntryVersions] = []
    let now = session.now.tree
    let diff = TreeDiff(old: source, new: source, monitor: monitor, limit: EntryLimit.held)
    try translating { () throws(StoreError) in
      try diff.walk(from: with, to: without, label: 0) { (folder, with, without) throws(StoreError) in
        guard let name = (with ?? without)?.name, let inside = folders[folder].selector.inside(with, without) else {
          return .pass
        }
        let path = folders[folder].path.appending(name)
        let versions = EntryVersions(
          path: path, with: with, without: without, now: try TreePath.entry(path, in: now, source))
        if with?.isDirectory != true, without?.isDirectory != true {
          if inside.isMeant { files.append(versions) }
          return .pass
        }
        guard RevertOperation.enters(versions, inside, &edits, &merge) else { return .pass }
        folders.append((path, inside))
        return .enter(folders.count - 1)
      }
    }
    for versions in files {
      switch try merge.join(versions) {
      case .keep: break
      case .set(let entry): edits.add(.set(entry), at: versions.path)
      case .remove: edits.add(.remove, at: versions.path)
      }
    }
    return edits
  }

  /// Decides about a path that is a folder on one side at least. Returns whether its entries are decided one by one.
  private static func enters(
    _ versions: EntryVersions, _ selector: PathSelector, _ edits: inout TreeEdits, _ merge: inout EntryMerge
  ) -> Bool {
    let (path, with, without, now) = (versions.path, versions.with, versions.without, versions.now)
    if let with, let without, !with.isDirectory || !without.isDirectory {
      // A folder in the place of a file, or the other way round.
      if now == without || !selector.isMeant { return false }
      if now?.content == with.content {
        edits.add(.set(without), at: path)
      } else {
        merge.note(path, now == nil ? .removed : .type)
      }
      return false
    }
    if let now, !now.isDirectory {
      merge.note(path, .type)
      return false
    }
    switch (with, without, now) {
    case (let with?, let without?, let now?):
      if selector.isMeant {
        let joined = merge.joined(now.metadata, with.metadata, without.metadata, path)
        if joined != now.metadata { edits.add(.metadata(joined), at: path) }
      }
    case (_, let without?, nil):
      edits.add(.make(without.metadata, evenEmpty: with == nil && selector.isMeant), at: path)
    case (_?, nil, _?):
      edits.add(.removeIfEmpty, at: path)
    default:
      break
    }
    return true
  }

  // MARK: The restore

  private func restore(
    _ edits: TreeEdits, at end: End, _ label: StepLabel, _ refs: Refs, _ session: inout RestoreSession,
    holding lock: borrowing StoreLock<ChangesFolder>
  ) throws(RepositoryError) -> RestoreSummary {
    let walk = session.walk
    let source = walk.source
    let now = session.now.tree
    let edited = try translating { () throws(StoreError) in try edits.applied(to: now, source, walk.writer) }
    // A source knows only what was stored before it was made.
    let expansion = PathExpansion(source: walk.source, monitor: monitor)
    let paths = try expansion.differing(PathSelector(), from: now, to: edited, inFolders: true)
    if paths.isEmpty { return try nothing(refs, session, end) }
    var tree = session.now
    tree.tree = edited
    tree.links = []
    tree.problems = []
    let record = try walk.record(tree, since: nil)
    let target = StoredSnapshot(try walk.store(record), record)
    // The restore reads merged texts from the store.
    if !options.isDryRun { try walk.finishPacks() }
    var restoring = RestoreOptions()
    restoring.paths = paths
    restoring.isDryRun = options.isDryRun
    restoring.asRecorded = options.asRecorded
    let operation = RestoreOperation(repository: repository, options: restoring, monitor: monitor)
    var summary = try operation.restore(target, label: label, refs, &session, holding: lock)
    if let position = try repository.recordAtPosition(try repository.readRefs()) {
      summary.snapshot = Snapshot(position)
    }
    return summary
  }

  private func nothing(
    _ refs: Refs, _ session: RestoreSession, _ end: End
  ) throws(RepositoryError) -> RestoreSummary {
    RestoreSummary(
      snapshot: Snapshot(try repository.recordAtPosition(refs) ?? end.snapshot), guard: nil, created: 0, replaced: 0,
      removed: 0, metadata: 0, bytesWritten: 0, rescued: [], problems: session.now.problems.filter { !$0.isNote },
      plan: [], isCommitted: !options.isDryRun)
  }
}
