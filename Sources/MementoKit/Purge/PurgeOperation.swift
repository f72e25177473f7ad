// Takes paths out of every snapshot and their content out of the store. The order is: plan and check in memory; new trees
// and records into packs; one commit of `refs`; everything that still names the old snapshots; then the packs are swept
// of all that is not needed. Killed anywhere, it leaves a store that is whole, and any purge after it does the rest.

internal import MementoStore
internal import MementoSystem

struct PurgeOperation {
  let repository: Repository
  let options: PurgeOptions
  let monitor: any Monitor

  private var store: Store { repository.store }

  /// The paths, each once and without empty names.
  private var paths: [BytePath] {
    var seen: Set<BytePath> = []
    return options.paths.map { BytePath($0.components.joined(separator: [UInt8(ascii: "/")])) }
      .filter { seen.insert($0).inserted }
  }

  func run() throws(RepositoryError) -> PathPurgeSummary {
    if let path = paths.first(where: \.bytes.isEmpty) {
      throw RepositoryError(
        .invalidArgument, "the folder itself cannot be purged", reason: .wholeFolder, path: path)
    }
    return try run(holding: try repository.lockAlone(monitor, changes: !options.isDryRun))
  }

  private func run(holding lock: borrowing StoreLock<RemovesPacks>) throws(RepositoryError) -> PathPurgeSummary {
    // What goes must be replaced on disk first.
    store.folder.flushesAlways(true)
    defer { store.folder.flushesAlways(false) }
    if !options.isDryRun { try translating { () throws(StoreError) in try store.settle() } }
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestoreAnywhere(refs)
    monitor.begin(.measuring)
    var rewrite = HistoryRewrite(repository, without: paths, monitor: monitor)
    try translating { () throws(StoreError) in
      try store.index.reconcile(again: true)
      if let problem = store.index.problems.first { throw problem }
    }
    try rewrite.run(refs)
    let needed = try walk(rewrite, refs)
    var summary = try summary(rewrite, refs, needed)
    let remains = PurgeRemains(repository, of: paths, needed: needed)
    let rescued = try remains.rescued()
    summary.filesRemoved = rescued.map { BytePath(WorktreeStorage.rescueFolder).appending($0) }
    summary.remaining = try remains.list(besides: rescued)
    try check(summary)
    if options.isDryRun {
      try planSweep(needed, &summary)
      return summary
    }
    try translating { () throws(StoreError) in try lock.check() }
    try commit(rewrite, needed, holding: lock)
    try forget(rewrite, &summary, holding: lock)
    try sweep(&summary, holding: lock)
    try remains.remove(rescued)
    summary.remaining += try remains.leftovers()
    try translating { () throws(StoreError) in try store.folder.flushAll() }
    repository.journal("purge", snapshot: nil, name: nil, at: Clock.now())
    summary.isCommitted = true
    return summary
  }

  // MARK: The plan

  /// Walks the new snapshots, and returns all that they need. Throws when something is missing that must be there.
  private func walk(_ rewrite: HistoryRewrite, _ refs: Refs) throws(RepositoryError) -> BlobSet {
    var walker = SnapshotWalker(
      rewrite.objects, monitor: monitor, visitor: NewSnapshots(objects: rewrite.objects, index: store.index))
    for (id, member) in rewrite.members.sorted(by: { $0.key < $1.key }) {
      do throws(StoreError) {
        walker.visitor.isStrict = member.isStrict
        let findings = try walker.walk(rewrite.now(id))
        // What was passed over in another snapshot is not met again.
        if member.isStrict, !findings.isWhole {
          throw findings.faults.first?.error
            ?? .damaged(file: "snapshot \(id.short)", reason: "a part of it is missing or damaged")
        }
      } catch {
        throw rewrite.refusal(id, refs, error)
      }
    }
    return walker.release()
  }

  private func summary(
    _ rewrite: HistoryRewrite, _ refs: Refs, _ needed: BlobSet
  ) throws(RepositoryError) -> PathPurgeSummary {
    var summary = PathPurgeSummary()
    for (path, holders) in zip(paths, rewrite.holders) { summary.paths.append(look(at: path, holders)) }
    for state in refs.states {
      guard let new = rewrite.exchanged[state.snapshot] else { continue }
      summary.states.append(
        RewrittenState(
          name: state.name, before: SnapshotID(state.snapshot), after: SnapshotID(new),
          hadPath: rewrite.members[state.snapshot]?.hasPath == true))
    }
    summary.snapshotsPurged = rewrite.members.values.count(where: \.hasPath)
    summary.snapshotsRewritten = rewrite.exchanged.count
    summary.versions = rewrite.content.versions.count
    summary.bytes = rewrite.content.bytes
    let shared = rewrite.content.chunks.filter { needed.contains($0.key) }
    if shared.isEmpty { return summary }
    try translating { () throws(StoreError) in
      var search = SharedContentSearch(for: shared, in: rewrite.objects)
      // States first: a name says more than an id.
      let order = rewrite.members.keys.sorted().map { ($0, refs.states.names(of: $0)) }
      for isNamed in [true, false] {
        for (id, names) in order where names.isEmpty != isNamed {
          let new = rewrite.now(id)
          do throws(StoreError) {
            let record = try SnapshotRecord.decode(try rewrite.objects.readMeta(new), new)
            try search.look(in: new, record, names) { monitor.isCancelled }
          } catch {
            // In the trash something may be damaged.
            guard error.isDamage, rewrite.members[id]?.isStrict == false else { throw error }
          }
        }
      }
      summary.shared = search.found
      summary.sharedCount = search.count
    }
    return summary
  }

  private func look(at path: BytePath, _ holders: Int) -> PurgedPath {
    var found = PurgedPath(path: path, snapshots: holders, isInFolder: nil, isIgnored: false)
    // Where the folder cannot be looked at, nothing is said.
    guard let root = try? repository.root else { return found }
    do throws(Errno) {
      found.isInFolder = try FolderFile(root).exists(at: path)
    } catch {
      return found
    }
    // A rule that cannot be read leaves nothing out, as far as is known.
    if found.isInFolder == true, let reasons = try? repository.ignoreReasons(for: [path]) {
      found.isIgnored = reasons[0]?.isIgnoring == true
    }
    return found
  }

  /// Either all paths are known, or none: then an earlier purge may have been interrupted, and is finished.
  private func check(_ summary: PathPurgeSummary) throws(RepositoryError) {
    if summary.foundNothing { return }
    guard let unknown = summary.paths.first(where: { $0.snapshots == 0 }) else { return }
    // Files that were rescued make a path known, too; which of the paths, their names say.
    let rescued = summary.filesRemoved.contains { file in
      guard let name = file.components.last, case .whole(let path)? = RescueFolder.path(of: name) else { return true }
      return PathFilter([unknown.path]).contains(path)
    }
    if rescued { return }
    throw RepositoryError(
      .noSuchPath, "no snapshot has \(unknown.path); nothing was changed", reason: .unknownPath, path: unknown.path)
  }

  private func planSweep(_ needed: BlobSet, _ summary: inout PathPurgeSummary) throws(RepositoryError) {
    let plan = try translating { () throws(StoreError) in
      try Sweep(store, isCancelled: { [monitor] in monitor.isCancelled }).plan(keeping: needed, extent: .everything)
    }
    summary.packsRemoved = plan.dead.count
    summary.packsRewritten = plan.rewritten.count
    summary.blobsRemoved = plan.blobsRemoved
    summary.bytesFreed = plan.bytesFreed
    summary.bytesKept = plan.bytesKept
  }

  // MARK: Doing it

  /// Writes what is new, and commits. On a full disk nothing has changed.
  private func commit(
    _ rewrite: HistoryRewrite, _ needed: BlobSet, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(RepositoryError) {
    if rewrite.exchanged.isEmpty { return }
    try translating { () throws(StoreError) in
      do throws(StoreError) {
        try write(rewrite, needed)
      } catch {
        // The index and the cache give room to those who want to make some.
        guard error.isNoSpace else { throw error }
        store.folder.dropDerived()
        try write(rewrite, needed)
      }
      try store.refs.exchange(
        SnapshotExchange(rewrite.exchanged, removing: PathFilter(paths)), holding: lock,
        waiting: repository.wait(monitor))
    }
    repository.backUpConfig()
  }

  private func write(_ rewrite: HistoryRewrite, _ needed: BlobSet) throws(StoreError) {
    let packs = try store.packWriter()
    do throws(StoreError) {
      let writer = ObjectWriter(.packs(packs), store: store)
      for (id, bytes) in rewrite.objects.all where needed.contains(id) { _ = try writer.storeMeta(bytes) }
      try writer.flush()
      try packs.finish()
    } catch {
      packs.discard()
      throw error
    }
  }

  /// Removes all else that names what was there before: earlier `refs`, the journal, what killed processes have left, and
  /// the stat cache.
  private func forget(
    _ rewrite: HistoryRewrite, _ summary: inout PathPurgeSummary, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(RepositoryError) {
    try translating { () throws(StoreError) in
      try store.refs.forgetEarlier(holding: lock, waiting: repository.wait(monitor))
    }
    do throws(StoreError) {
      try Journal(store.folder).exchange(rewrite.exchanged)
    } catch {
      // It is advisory: what it names is gone all the same.
      summary.remaining.append(
        PurgeRemainder(file: "journal", detail: "it names the ids from before: \(error.message)", isUnfinished: true))
    }
    repository.sweepStaging(pending: [], holding: lock)
    store.folder.removeAbandoned()
    repository.worktree.dropStatCaches()
    repository.worktree.dropDerived(SavedChanges.fileName)
  }

  private func sweep(
    _ summary: inout PathPurgeSummary, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(RepositoryError) {
    let garbage = try GarbageCollection(
      repository: repository, options: GarbageOptions(), monitor: monitor, extent: .everything, keepsAll: true
    ).run(holding: lock)
    summary.packsRemoved = garbage.packsRemoved
    summary.packsRewritten = garbage.packsRewritten
    summary.blobsRemoved = garbage.blobsRemoved
    summary.bytesFreed = garbage.bytesFreed
    summary.bytesKept = garbage.bytesKept
    if garbage.packsNotRewritten > 0 {
      let count = garbage.packsNotRewritten == 1 ? "1 pack" : "\(garbage.packsNotRewritten) packs"
      summary.remaining.append(
        PurgeRemainder(
          file: "packs", detail: "\(count) could not be written anew, because the disk is full", isUnfinished: true))
    }
    // Tables may name blobs of packs that an interrupted purge has removed.
    try translating { () throws(StoreError) in try store.index.rebuild() }
  }
}

/// Looks for all that new snapshots need, in memory and in the store.
private struct NewSnapshots: SnapshotVisitor {
  let objects: ScratchObjects
  let index: Index
  /// Whether the walk ends at the first fault.
  var isStrict = true

  func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
    if let known = objects.length(of: chunk) { return known == length ? .there : .otherLength }
    return try index.presence(of: chunk, length: length)
  }

  func meet(_ fault: SnapshotFault) throws(StoreError) {
    let error = fault.error
    if isStrict || !Reachability.isCertain(error) { throw error }
  }
}
