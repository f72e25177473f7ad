// Gives back the space of what no state, no step of the timeline and no pending restore needs. Under the exclusive lock, so
// that nobody is about to rely on what goes; no clock and no grace period are needed.

internal import MementoStore
internal import MementoSystem

struct GarbageCollection {
  let repository: Repository
  let monitor: any Monitor

  func run(isDryRun: Bool) throws(RepositoryError) -> GarbageSummary {
    let lock = try repository.lockAlone()
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    monitor.begin(.collectingGarbage)
    let summary = try translating { () throws(StoreError) in
      repository.store.index.reconcile(again: true)
      if let problem = repository.store.index.problems.first { throw problem }
      var reachable = Reachability(repository)
      for root in refs.roots.sorted() {
        if monitor.isCancelled { throw StoreError.cancelled }
        try reachable.add(root)
      }
      let sweep = Sweep(repository.store)
      var plan = try sweep.plan(keeping: reachable.needed)
      if !isDryRun {
        try repository.store.checkLock()
        repository.store.folder.sweep(keeping: nil)
        plan = try sweep.execute(plan, keeping: reachable.needed)
      }
      return GarbageSummary(
        packsRemoved: plan.dead.count, packsRewritten: plan.rewritten.count, blobsRemoved: plan.blobsRemoved,
        bytesFreed: plan.bytesFreed, bytesKept: plan.bytesKept, isCommitted: !isDryRun)
    }
    if !isDryRun { repository.journal("gc", snapshot: nil, name: nil, at: Clock.now()) }
    _ = consume lock
    return summary
  }
}
