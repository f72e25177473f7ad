// How much a store holds, for whom, and since when. It waits for nobody: every tree is read once, and the rest is
// arithmetic.

internal import MementoStore
internal import MementoSystem

struct StatisticsOperation {
  let repository: Repository
  let options: StatisticsOptions
  let monitor: any Monitor

  func run() throws(RepositoryError) -> StoreStatistics {
    let found = try collect()
    if found.damage == 0 { return found }
    // gc may have removed packs meanwhile. What is still missing under the lock is damaged.
    return try repository.runHolding(try repository.lockForReading(monitor)) { () throws(RepositoryError) in
      try collect()
    }
  }

  private func collect() throws(RepositoryError) -> StoreStatistics {
    let refs = try repository.readRefs()
    let chosen = try choose(refs)
    monitor.begin(.measuring)
    return try translating { () throws(StoreError) in
      let trash = try repository.store.refs.trash(refs).map(\.snapshot)
      let roots = SnapshotRoots(refs, chosen, trash: trash)
      var walker = SnapshotWalker(repository.store, monitor: monitor, visitor: ObjectGraph())
      var records: [ObjectID: SnapshotRecord] = [:]
      for id in roots.all {
        // gc has removed what the trash no longer keeps.
        if roots.mayBeGone.contains(id), try !repository.store.index.contains(id) { continue }
        records[id] = try walker.walk(id).record
      }
      let sizes = try ObjectSizes(walker.visitor, repository.store.index)
      var report = StatisticsReport(graph: walker.visitor, sizes: sizes, roots: roots, records: records)
      report.countStates(refs)
      report.countKeepers(refs)
      report.countKinds()
      report.countGrowth()
      try report.countFolders(in: repository.store)
      return try withPacks(report.result)
    }
  }

  private func withPacks(_ found: StoreStatistics) throws(StoreError) -> StoreStatistics {
    var result = found
    result.lastVerified = repository.lastVerified()
    for pack in try repository.store.packs.list(withSizes: true) {
      result.packs += 1
      result.packBytes += pack.size ?? 0
    }
    return result
  }

  private func choose(_ refs: Refs) throws(RepositoryError) -> ChosenSnapshots {
    var chosen = ChosenSnapshots()
    if options.names == nil, options.revisions.isEmpty {
      for state in refs.states { chosen.add(state.name, state.snapshot) }
      return chosen
    }
    for name in options.names ?? [] {
      guard let id = refs[name] else {
        throw .unknownState(name, in: refs)
      }
      chosen.add(name, id)
    }
    for revision in options.revisions {
      let id = try RevisionResolver(repository, refs).resolve(revision).id
      let names = refs.states.names(of: id)
      for name in names { chosen.add(name, id) }
      if names.isEmpty { chosen.add(nil, id) }
    }
    return chosen
  }
}
