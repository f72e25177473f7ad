// Removes what no state, no step of the timeline, no pending restore and no entry of the trash needs, and gives the
// space back. It holds the lock that excludes all other users of the packs, so nobody can begin to need what it
// removes.

internal import MementoStore
internal import MementoSystem

struct GarbageCollection {
  let repository: Repository
  let monitor: any Monitor

  /// `emptyingTrash`: also removes what only the trash keeps, however new it is.
  func run(isDryRun: Bool, emptyingTrash: Bool) throws(RepositoryError) -> GarbageSummary {
    try run(
      isDryRun: isDryRun, emptyingTrash: emptyingTrash,
      holding: try repository.lockAlone(monitor, changes: !isDryRun))
  }

  private func run(
    isDryRun: Bool, emptyingTrash: Bool, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(RepositoryError) -> GarbageSummary {
    // New packs must be on disk before old ones are removed.
    repository.store.folder.flushesAlways(true)
    defer { repository.store.folder.flushesAlways(false) }
    if !isDryRun { try translating { () throws(StoreError) in try repository.store.settle() } }
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    monitor.begin(.collectingGarbage)
    let summary = try translating { () throws(StoreError) in
      try repository.store.index.reconcile(again: true)
      if let problem = repository.store.index.problems.first { throw problem }
      var reachable = Reachability(repository, monitor: monitor)
      let roots = refs.roots
      for root in roots.sorted() {
        if monitor.isCancelled { throw StoreError.cancelled }
        try reachable.add(root)
      }
      try reachable.addReplaced()
      let trash = try sortTrash(refs, roots, emptyingTrash: emptyingTrash)
      let held = try hold(trash.held, &reachable)
      let sweep = Sweep(repository.store, isCancelled: { [monitor] in monitor.isCancelled })
      var plan = try sweep.plan(keeping: reachable.needed)
      let dropped = try dropped(trash.dropped, sweep, plan, keeping: reachable.needed)
      if !isDryRun {
        try lock.check()
        repository.store.folder.removeAbandoned(keeping: nil)
        // The trash is written before its content is removed. If gc is killed, the trash then names nothing that is
        // missing.
        try repository.store.refs.keepTrash(trash.kept, holding: lock, waiting: repository.wait(monitor))
        // The stat cache names packs that will be removed, so it is removed first.
        repository.worktree.dropStatCache()
        plan = try sweep.execute(plan, keeping: reachable.needed, holding: lock)
        repository.store.index.badBlocks.keep(of: Set(try repository.store.index.presentPacks()))
        try ParityUpkeep(repository.store, isCancelled: { [monitor] in monitor.isCancelled }).sweep(holding: lock)
      }
      return GarbageSummary(
        packsRemoved: plan.dead.count, packsRewritten: plan.rewritten.count, blobsRemoved: plan.blobsRemoved,
        bytesFreed: plan.bytesFreed, bytesKept: plan.bytesKept, dropped: dropped, held: held, isCommitted: !isDryRun)
    }
    if !isDryRun { repository.journal("gc", snapshot: nil, name: nil, at: Clock.now()) }
    return summary
  }

  // MARK: The trash

  private func sortTrash(
    _ refs: Refs, _ roots: Set<ObjectID>, emptyingTrash: Bool
  ) throws(StoreError) -> TrashSorting {
    do throws(StoreError) {
      let (entries, now) = try repository.store.refs.trash(refs)
      return TrashSorting(
        entries, now: now, time: emptyingTrash ? nil : Trash.standardTime, keptOtherwise: roots)
    } catch {
      // To empty the trash, gc need not know what is in it.
      guard emptyingTrash, error.isDamage else { throw error }
      return TrashSorting([], now: refs.trash, time: nil, keptOtherwise: roots)
    }
  }

  /// Adds the snapshots of the trash to what is needed. Of a damaged one, gc keeps what is there. The damage does not
  /// stop gc from removing other things.
  private func hold(
    _ items: [TrashSorting.Item], _ reachable: inout Reachability
  ) throws(StoreError) -> [HeldSnapshot] {
    let now = Clock.now()
    var held: [HeldSnapshot] = []
    for item in items {
      if monitor.isCancelled { throw StoreError.cancelled }
      let before = reachable.needed.count
      let isWhole = try reachable.addWhatIsThere(item.snapshot)
      held.append(
        HeldSnapshot(
          id: SnapshotID(item.snapshot), names: names(item), reason: LossReason(item.reason), age: item.age,
          until: SnapshotTime(now.adding(seconds: Int64(clamping: item.timeLeft))),
          bytes: try repository.store.index.storedBytes(of: reachable.needed, after: before), isWhole: isWhole))
    }
    try reachable.addReplaced()
    return held
  }

  /// The names that a snapshot lost, or else the name it was saved under.
  private func names(_ item: TrashSorting.Item) -> [String] {
    if !item.names.isEmpty { return item.names }
    // The name is only for the report, so a failure does not matter.
    guard let record = try? SnapshotRecord.read(item.snapshot, from: repository.store) else { return [] }
    return record.name.map { [$0] } ?? []
  }

  /// The removed snapshots, for the report: those of the trash, and all other snapshots in the packs that are removed.
  private func dropped(
    _ items: [TrashSorting.Item], _ sweep: Sweep, _ plan: SweepPlan, keeping needed: BlobSet
  ) throws(StoreError) -> [DroppedSnapshot] {
    var dropped: [DroppedSnapshot] = []
    var seen: Set<ObjectID> = []
    // The record of a snapshot that lost its name may be kept, because a kept snapshot has the same tree.
    for item in items where !needed.contains(item.snapshot) {
      guard try repository.store.index.contains(item.snapshot) else { continue }
      seen.insert(item.snapshot)
      dropped.append(
        DroppedSnapshot(
          id: SnapshotID(item.snapshot), names: names(item), reason: LossReason(item.reason), age: item.age))
    }
    try sweep.forEachDroppedObject(plan, keeping: needed) { id, bytes in
      let bytes = Array(bytes)
      guard SnapshotRecord.isRecord(bytes), seen.insert(id).inserted else { return }
      // A record of a later version cannot be decoded, so it is reported without its name.
      let name = (try? SnapshotRecord.decode(bytes, id))?.name
      dropped.append(
        DroppedSnapshot(id: SnapshotID(id), names: name.map { [$0] } ?? [], reason: .unreferenced, age: nil))
    }
    return dropped
  }
}
