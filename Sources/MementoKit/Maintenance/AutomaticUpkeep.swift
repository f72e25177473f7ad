// What a save does for the store after its commit, so that it stays fast without a gc by hand: it merges small packs, a
// bounded number at a time. It drops nothing, so it needs no mark, and touches neither the trash nor old snapshots.

internal import MementoStore
internal import MementoSystem

struct AutomaticUpkeep {
  /// The upkeep takes at most this part of the time that the save itself took: one in so many.
  static let share: UInt64 = 2
  /// Bytes that can surely be copied in a microsecond.
  private static let speed: UInt64 = 32
  /// With so many packs, a merge is done although the flushes alone take longer than allowed. There is one for as many
  /// saves.
  private static let overdue = 256

  let repository: Repository
  /// Nanoseconds on a clock that only goes forward.
  let clock: @Sendable () -> UInt64

  init(_ repository: Repository) {
    self.repository = repository
    clock = repository.upkeepClock
  }

  /// Does a piece if one is due. `start`: when the save began. Never waits, and never fails: what is not done now is done
  /// after a later save.
  func run(since start: UInt64) {
    let folder = repository.store.folder
    // With --no-sync nothing is flushed, so nothing may be removed.
    guard repository.folderConfig.retention.isAutomatic, folder.isDurable else { return }
    let now = clock()
    let allowed = (now > start ? now - start : 0) / AutomaticUpkeep.share
    let merge = PackMerge(repository.store)
    let packs = merge.packs(copyingAtMost: allowed / 1000 * AutomaticUpkeep.speed)
    if packs.isEmpty || folder.mayHaveUnsynced { return }
    let known = repository.worktree.mergedPacks()
    if known.fixedCost > allowed, packs.count < AutomaticUpkeep.overdue { return }
    // An error is no concern of the save, which is done: what could not be merged is there as before.
    try? run(merge, packs, known, until: now + allowed - min(known.fixedCost, allowed / 2))
  }

  private func run(
    _ merge: PackMerge, _ packs: [ObjectID], _ known: MergedPacks, until end: UInt64
  ) throws(StoreError) {
    let lock = try repository.store.locks.take(RemovesPacks.self, upgrading: false, waiting: 0)
    var copied = clock()
    var known = known
    let merged = try merge.run(
      packs, holding: lock,
      while: {
        copied = clock()
        return copied < end
      },
      note: { old, new in
        known.add(old, into: new)
        repository.worktree.keepDerived(MergedPacks.fileName, known.encoded())
      })
    if merged == 0 { return }
    let now = clock()
    known.fixedCost = now > copied ? now - copied : 0
    repository.worktree.keepDerived(MergedPacks.fileName, known.encoded())
  }
}
