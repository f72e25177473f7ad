// Repairs a damaged store as far as possible: first the names, then the packs. It takes the content from intact copies
// in the store and from the files of the folder. It only adds files and moves damaged ones aside, so a kill at any
// point does no harm.

internal import MementoStore
internal import MementoSystem

struct Repair {
  let repository: Repository
  let monitor: any Monitor
  /// Brings from elsewhere what some snapshots lack here; nil when there is nobody to ask.
  var elsewhere: (([ObjectID]) throws(RepositoryError) -> RepairFromRemotes)?

  private var store: Store { repository.store }

  func run() throws(RepositoryError) -> RepairSummary {
    try run(holding: try repository.lockAlone(monitor, needsConfig: false))
  }

  private func run(holding lock: borrowing StoreLock<RemovesPacks>) throws(RepositoryError) -> RepairSummary {
    store.folder.flushesAlways(true)
    defer { store.folder.flushesAlways(false) }
    try translating { () throws(StoreError) in try store.settle() }
    let names = try translating { () throws(StoreError) in try store.refs.mend(waiting: repository.wait(monitor)) }
    var putBack = RepairedPart.list(store.mended, names)
    let isAside = putBack.contains { $0.path == "rules" }
    for worktree in try repository.worktrees() {
      let name = worktree.rulesPath
      if let hasCopy = try PersistedRules(worktree).mend(isAside: isAside && name == "rules") {
        putBack.removeAll { $0.path == name }
        putBack.append(RepairedPart(path: name, source: hasCopy ? .backup : .empty))
      }
    }
    var before = StoreCheck(repository, monitor: monitor)
    try before.run(VerifyOptions(readPercent: 100))
    let upkeep = ParityUpkeep(store, isCancelled: { [monitor] in monitor.isCancelled })
    let isHurt = before.report.damage.contains { !$0.isDerived }
    let healed = try translating { () throws(StoreError) in
      try upkeep.rewrite(before.healedPacks, holding: lock).union(isHurt ? try upkeep.putBack(holding: lock) : [])
    }
    let unhealed = before.healedPacks.subtracting(healed)
    var replaced: Set<ObjectID> = []
    // The index and other derived files are made from the packs. When nothing else is damaged, no content is missing.
    if isHurt || !unhealed.isEmpty {
      replaced = try replace(before.damagedPacks.subtracting(healed).union(unhealed), holding: lock)
    }
    try rebuildDerived()
    let parityMade = try translating { () throws(StoreError) in
      try upkeep.make(before.packsWithoutParity.filter { !replaced.contains($0) }, holding: lock)
    }
    var after = before
    if !before.report.damage.isEmpty || !before.healedPacks.isEmpty || parityMade > 0 {
      after = StoreCheck(repository, monitor: monitor)
      try after.run(VerifyOptions(readPercent: 100))
    }
    var fromRemotes: RepairFromRemotes?
    if let elsewhere, after.report.damage.contains(where: { !$0.isDerived }) {
      let brought = try elsewhere(try wanted())
      fromRemotes = brought
      if brought.blobs > 0 {
        try rebuildDerived()
        after = StoreCheck(repository, monitor: monitor)
        try after.run(VerifyOptions(readPercent: 100))
      }
    }
    // What is read as damaged now is noted again.
    let whole =
      after.report.damage.isEmpty ? [] : try translating { () throws(StoreError) in try store.index.presentPacks() }
    store.index.badBlocks.keep(of: Set(whole))
    try translating { () throws(StoreError) in
      repository.backUpConfig()
      try store.refs.backUp(waiting: repository.wait(monitor))
    }
    if !putBack.isEmpty || !before.report.damage.isEmpty || !healed.isEmpty {
      repository.journal("repair", snapshot: nil, name: nil, at: Clock.now())
    }
    return RepairSummary(
      damageBefore: before.report.damage.count + before.healedPacks.count + putBack.count,
      packsSetAside: replaced.sorted().map { "\($0).pack" }, packsHealed: healed.sorted().map { "\($0).pack" },
      parityMade: parityMade, partsPutBack: putBack,
      wentBackToPreviousNames: names == .previous, fromRemotes: fromRemotes, report: after.report)
  }

  /// Stores again what is missing and what the damaged packs held, as far as the packs or the folder still have it.
  /// Returns the packs that were moved aside.
  private func replace(
    _ damaged: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(RepositoryError) -> Set<ObjectID> {
    // A new pack with the same blobs in the same blocks has the same name, and has replaced the damaged one.
    var leaving = damaged
    let salvage = Salvage(store, isCancelled: { [monitor] in monitor.isCancelled })
    leaving.subtract(try translating { () throws(StoreError) in try salvage.copy(damaged, holding: lock) })
    if repository.isAttached { leaving.subtract(try storeFolder(replacing: leaving)) }
    try translating { () throws(StoreError) in try salvage.setAside(leaving, holding: lock) }
    return leaving
  }

  /// Reads every file of the folder as a save does, and stores what is missing. Nothing refers to the tree that this
  /// makes: the damaged snapshots refer to the blobs. Only for a repository that may read its folder.
  private func storeFolder(replacing damaged: Set<ObjectID>) throws(RepositoryError) -> Set<ObjectID> {
    let walk = try FolderWalk(repository, monitor: monitor, storing: true, useCache: false, replacing: damaged)
    do throws(RepositoryError) {
      monitor.begin(.saving)
      _ = try walk.run()
      let written = try walk.finishPacks(durably: true)
      walk.discard()
      return written
    } catch {
      walk.discard()
      throw error
    }
  }

  /// All snapshots that are kept, those in the trash as well.
  private func wanted() throws(RepositoryError) -> [ObjectID] {
    let refs = try repository.readRefs()
    return try translating { () throws(StoreError) in
      refs.roots.union(try store.refs.trash(refs).map(\.snapshot)).sorted()
    }
  }

  /// Rebuilds the index. The index stays as it is when a pack cannot be opened: only the index may know what that pack
  /// holds.
  private func rebuildDerived() throws(RepositoryError) {
    // A stat cache that cannot be removed names packs that are gone, and a save then does not trust it.
    repository.worktree.dropStatCaches()
    try translating { () throws(StoreError) in
      try store.index.reconcile(again: true)
      if store.index.problems.isEmpty { try store.index.rebuild() }
    }
  }
}
