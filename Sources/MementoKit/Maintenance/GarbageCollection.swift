// Removes what no state, no step of the timeline, no pending restore, no age and no entry of the trash keeps, and gives the
// space back. It holds the lock that excludes all other users of the packs, so nobody can begin to need what it removes.

internal import MementoStore
internal import MementoSystem

struct GarbageCollection {
  let repository: Repository
  let options: GarbageOptions
  let monitor: any Monitor
  /// Which packs are rewritten although most of them is needed.
  var extent = SweepExtent.sparse
  /// Whether the policy does not count: only what nothing refers to is removed.
  var keepsAll = false

  func run() throws(RepositoryError) -> GarbageSummary {
    try run(holding: try repository.lockAlone(monitor, changes: !options.isDryRun))
  }

  func run(holding lock: borrowing StoreLock<RemovesPacks>) throws(RepositoryError) -> GarbageSummary {
    // New packs must be on disk before old ones are removed.
    repository.store.folder.flushesAlways(true)
    defer { repository.store.folder.flushesAlways(false) }
    if !options.isDryRun { try translating { () throws(StoreError) in try repository.store.settle() } }
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestoreAnywhere(refs)
    monitor.begin(.collectingGarbage)
    let summary = try translating { () throws(StoreError) in try collect(refs, holding: lock) }
    // What saves had begun is done.
    if !options.isDryRun { repository.worktree.dropDerived(SpreadCollection.fileName) }
    if !options.isDryRun { repository.journal("gc", snapshot: nil, name: nil, at: Clock.now()) }
    return summary
  }

  private func collect(
    _ refs: Refs, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> GarbageSummary {
    try repository.store.index.reconcile(again: true)
    if let problem = repository.store.index.problems.first { throw problem }
    let budget = try self.budget()
    if !options.recompresses, let known = try unchanged(refs, budget) {
      if !options.isDryRun {
        repository.store.folder.removeAbandoned()
        try sweepParity(holding: lock)
      }
      return known
    }
    var retention = try retention(refs)
    var mark = GarbageMark(repository, budget: try budget.map(SpaceBudget(repository.store).forPacks), monitor: monitor)
    try mark.add(
      fixed: SnapshotOrder.newestFirst(
        retention.fixed, position: refs.timeline.current?.snapshot, in: repository.store))
    let held = try mark.add(&retention)
    let keptCount = mark.keptCount
    let packBudget = mark.packBudget
    var dropped = try measure(retention, refs, &mark)
    let (unnamed, trash) = (mark.unnamed, mark.trash)
    let order = mark.order
    let marked = mark.release()
    var needed = marked
    needed.removeAll(after: keptCount)
    let stepsEnd = dropped.stepsEnd

    let sweep = Sweep(
      repository.store, order: order, recompresses: options.recompresses,
      isCancelled: { [monitor] in monitor.isCancelled })
    var plan = try sweep.plan(keeping: needed, budget: packBudget, extent: extent)
    dropped.snapshots += try unreferenced(sweep, plan, keeping: needed, besides: dropped.snapshots)
    let neededBefore = plan.bytesNeeded
    var stepsDropped = retention.expired.count
    if !options.isDryRun {
      try lock.check()
      repository.store.folder.removeAbandoned()
      // `refs` are written before the content is removed. If gc is killed, they then name nothing that is missing.
      let isWritten = try repository.store.refs.expire(
        steps: retention.expired.steps(of: refs), keeping: retention.entries,
        isStored: { [index = repository.store.index] (id) throws(StoreError) in try index.contains(id) }, holding: lock,
        waiting: repository.wait(monitor))
      if !isWritten, stepsDropped > 0 {
        // On a full disk the steps stay, with what they need. The trash may name what is missing.
        guard dropped.areStepsRead else { throw .system(operation: "write", path: "refs", .noSpace) }
        stepsDropped = 0
        needed = marked
        needed.removeAll(after: stepsEnd)
        plan = try sweep.plan(keeping: needed, budget: packBudget, extent: extent)
        dropped.snapshots.removeAll { needed.contains($0.id.object) }
      }
      // The stat cache names packs that will be removed, so it is removed first.
      if !plan.dead.isEmpty || !plan.rewritten.isEmpty { repository.worktree.dropStatCaches() }
      repository.worktree.keepSavedChanges { needed.contains($0) }
      plan = try sweep.execute(plan, keeping: needed, within: limit(), holding: lock)
      repository.store.index.badBlocks.keep(of: Set(try repository.store.index.presentPacks()))
      try sweepParity(holding: lock)
    }
    var summary = GarbageSummary(
      packsRemoved: plan.dead.count,
      packsRewritten: plan.rewritten.count - plan.unwritten.count - plan.postponed.count,
      packsNotRewritten: plan.unwritten.count, blobsRemoved: plan.blobsRemoved, bytesFreed: plan.bytesFreed,
      bytesKept: plan.bytesKept, rewriteThreshold: plan.threshold, stepsDropped: stepsDropped,
      unnamedAge: rules.keep.seconds, budget: budget, dropped: dropped.snapshots, held: held,
      isCommitted: !options.isDryRun)
    summary.packsPostponed = plan.postponed.count
    summary.versionsSorted = plan.versionsSorted
    // What was measured before may take less now.
    let share = min(1, Double(plan.bytesNeeded) / Double(max(neededBefore, 1)))
    let unnamedNow = UInt64(Double(unnamed) * share)
    let trashNow = UInt64(Double(trash) * share)
    let loose = unnamedNow + trashNow
    summary.space = SpaceUse(
      named: plan.bytesNeeded > loose ? plan.bytesNeeded - loose : 0, unnamed: unnamedNow, trash: trashNow,
      unneeded: plan.bytesKept > plan.bytesNeeded ? plan.bytesKept - plan.bytesNeeded : 0)
    if summary.isCommitted, held.count <= LastCollection.mostHeld, plan.unwritten.isEmpty, plan.postponed.isEmpty {
      try note(summary, until: retention.until)
    }
    return summary
  }

  // MARK: The gc before

  /// The result of the last gc, if it would be the same now.
  private func unchanged(_ refs: Refs, _ budget: UInt64?) throws(StoreError) -> GarbageSummary? {
    // It says nothing of packs that hold a little that is not needed.
    guard case .sparse = extent else { return nil }
    let clock = repository.store.refs.clock(refs)
    // Otherwise the time that has passed is to be written.
    guard repository.store.refs.hasCurrentClock(refs),
      let last = repository.worktree.derived(LastCollection.fileName, limit: LastCollection.sizeLimit)
        .flatMap({ LastCollection($0) }),
      clock.age(of: 0) < last.until, try last.store == identity(budget), let held = try held(last, refs)
    else { return nil }
    var summary = GarbageSummary(
      packsRemoved: 0, packsRewritten: 0, blobsRemoved: 0, bytesFreed: 0, bytesKept: last.bytesKept,
      isCommitted: !options.isDryRun)
    summary.rewriteThreshold = last.threshold
    summary.unnamedAge = rules.keep.seconds
    summary.budget = budget
    summary.space = last.space
    summary.held = held
    return summary
  }

  /// What is held, as it was measured before. Nil when that is not what is held now.
  private func held(_ last: LastCollection, _ refs: Refs) throws(StoreError) -> [HeldSnapshot]? {
    if last.held.isEmpty { return [] }
    let items = try retention(refs).kept.filter { $0.steps.isEmpty }
    guard items.map(\.snapshot) == last.held.map(\.snapshot) else { return nil }
    let now = Clock.now()
    return zip(items, last.held).map { item, measured in
      HeldSnapshot(item, bytes: measured.bytes, isWhole: measured.isWhole, now: now, in: repository.store)
    }
  }

  private func note(_ summary: GarbageSummary, until: UInt64) throws(StoreError) {
    let last = LastCollection(
      store: try identity(summary.budget), until: until, bytesKept: summary.bytesKept, space: summary.space,
      threshold: summary.rewriteThreshold,
      held: summary.held.map {
        LastCollection.Held(snapshot: $0.id.object, bytes: $0.bytes, isWhole: $0.isWhole)
      })
    repository.worktree.keepDerived(LastCollection.fileName, last.encoded())
  }

  private func identity(_ budget: UInt64?) throws(StoreError) -> ObjectID {
    LastCollection.identity(
      refs: try repository.store.refs.digest(), packs: try repository.store.index.presentPacks(), rules: rules,
      budget: budget)
  }

  // MARK: What counts

  /// How much may be rewritten from now on. The time of the mark does not count: no gc could do without it, and one that
  /// always ends there would never get on.
  private func limit() -> SweepLimit {
    guard let most = options.timeLimit else { return SweepLimit() }
    let (nanoseconds, isEndless) = most.multipliedReportingOverflow(by: 1_000_000_000)
    if isEndless { return SweepLimit() }
    let clock = repository.upkeepClock
    let start = clock()
    return SweepLimit(timeLeft: {
      let now = clock()
      let spent = now > start ? now - start : 0
      return nanoseconds > spent ? nanoseconds - spent : 0
    })
  }

  private var rules: Retention.Rules {
    if keepsAll {
      return Retention.Rules(keep: RetentionPolicy.Keep(seconds: 0, count: .max), trash: .max)
    }
    let policy = repository.folderConfig.retention
    return Retention.Rules(
      keep: options.unnamedAge.map { RetentionPolicy.Keep(seconds: $0, count: 0) } ?? policy.keep,
      trash: options.emptiesTrash ? nil : policy.trash)
  }

  /// The budget in bytes; nil for no limit. Throws when the size of the disk is asked for and cannot be known.
  private func budget() throws(StoreError) -> UInt64? {
    if keepsAll { return nil }
    guard let budget = options.budget ?? repository.folderConfig.retention.budget else { return nil }
    return try SpaceBudget(repository.store).bytes(budget)
  }

  /// Removes parity without a pack, and makes what is missing.
  private func sweepParity(holding lock: borrowing StoreLock<RemovesPacks>) throws(StoreError) {
    try ParityUpkeep(repository.store, isCancelled: { [monitor] in monitor.isCancelled }).sweep(holding: lock)
  }

  private func retention(_ refs: Refs) throws(StoreError) -> Retention {
    let clock = repository.store.refs.clock(refs)
    do throws(StoreError) {
      return Retention(refs, try repository.store.refs.trash(refs), rules, now: clock)
    } catch {
      // To empty the trash, gc need not know what is in it.
      guard options.emptiesTrash, error.isDamage else { throw error }
      return Retention(refs, [], rules, now: clock)
    }
  }

  // MARK: What goes

  private struct Dropped {
    var snapshots: [DroppedSnapshot] = []
    /// The number of marked blobs with those of the steps that leave the timeline.
    var stepsEnd = 0
    /// Whether all blobs of these steps are marked.
    var areStepsRead = true
  }

  /// The snapshots that gc drops, with what each takes; first those of steps that leave the timeline.
  private func measure(
    _ retention: Retention, _ refs: Refs, _ mark: inout GarbageMark
  ) throws(StoreError) -> Dropped {
    let expired = Set(retention.expired.steps(of: refs).all.map(\.snapshot))
    var result = Dropped()
    for isStep in [true, false] {
      for item in retention.dropped where expired.contains(item.snapshot) == isStep {
        // gc may have removed it before: on a full disk its entry stays.
        guard try repository.store.index.contains(item.snapshot) else { continue }
        let bytes = try mark.measure(item)
        if bytes == nil, isStep { result.areStepsRead = false }
        result.snapshots.append(
          DroppedSnapshot(
            id: SnapshotID(item.snapshot), names: item.names(in: repository.store), reason: item.reason, age: item.age,
            bytes: bytes))
      }
      if isStep { result.stepsEnd = mark.markedCount }
    }
    return result
  }

  /// All other snapshots in the packs that are removed, for the report.
  private func unreferenced(
    _ sweep: Sweep, _ plan: SweepPlan, keeping needed: BlobSet, besides known: [DroppedSnapshot]
  ) throws(StoreError) -> [DroppedSnapshot] {
    var dropped: [DroppedSnapshot] = []
    var seen = Set(known.map(\.id.object))
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
