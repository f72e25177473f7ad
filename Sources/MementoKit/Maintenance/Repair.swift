// Makes a damaged store as whole as it can be: names, then packs, from what is left of them and from the folder. It adds
// and puts aside; a kill at any point leaves the store no worse than it was.

internal import MementoStore
internal import MementoSystem

struct Repair {
  let repository: Repository
  let monitor: any Monitor

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
    if try KeptRules(repository.worktree).setAsideIfDamaged() {
      putBack.append(RepairedPart(path: "rules", source: .empty))
    }
    var before = StoreCheck(repository, monitor: monitor)
    try before.run(readData: true)
    var replaced: Set<ObjectID> = []
    // What is derived comes from the packs: no content is missing when nothing else is hurt.
    if before.report.damage.contains(where: { !$0.isDerived }) {
      replaced = try replace(before.damagedPacks, holding: lock)
    }
    try rebuildDerived()
    var after = before
    if !before.report.damage.isEmpty {
      after = StoreCheck(repository, monitor: monitor)
      try after.run(readData: true)
    }
    try translating { () throws(StoreError) in
      repository.backUpConfig()
      try store.refs.backUp(waiting: repository.wait(monitor))
    }
    if !putBack.isEmpty || !before.report.damage.isEmpty {
      repository.journal("repair", snapshot: nil, name: nil, at: Clock.now())
    }
    return RepairSummary(
      damageBefore: before.report.damage.count + putBack.count,
      packsSetAside: replaced.sorted().map { "\($0).pack" }, partsPutBack: putBack,
      wentBackToPreviousNames: names == .previous, report: after.report)
  }

  /// Stores again what these packs hold, as far as they or the folder have it still, and what is missing. Returns the packs
  /// that were put aside.
  private func replace(
    _ damaged: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(RepositoryError) -> Set<ObjectID> {
    // A new pack with the same blobs in the same blocks has the name of a damaged one, and has taken its place.
    var leaving = damaged
    let salvage = Salvage(store, isCancelled: { [monitor] in monitor.isCancelled })
    leaving.subtract(try translating { () throws(StoreError) in try salvage.copy(damaged, holding: lock) })
    if repository.isAttached { leaving.subtract(try storeFolder(replacing: leaving)) }
    try translating { () throws(StoreError) in try salvage.setAside(leaving, holding: lock) }
    return leaving
  }

  /// Only where the folder may be read. As a save does that reads every file, but nothing refers to it: the damaged snapshots do.
  private func storeFolder(replacing damaged: Set<ObjectID>) throws(RepositoryError) -> Set<ObjectID> {
    let walk = try FolderWalk(repository, monitor: monitor, storing: true, useCache: false, replacing: damaged)
    do throws(RepositoryError) {
      monitor.begin(.saving)
      _ = try walk.run()
      let written = try walk.finishPacks(forGood: true)
      walk.discard()
      return written
    } catch {
      walk.discard()
      throw error
    }
  }

  /// A pack that cannot be opened at all stays, and with it what the index knows of it.
  private func rebuildDerived() throws(RepositoryError) {
    // A cache that stays speaks of packs that have gone, and is not believed.
    repository.worktree.dropStatCache()
    try translating { () throws(StoreError) in
      try store.index.reconcile(again: true)
      if store.index.problems.isEmpty { try store.index.rebuild() }
    }
  }
}
