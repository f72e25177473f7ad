// What a save does for the store after its commit, so that it stays fast and small without a gc by hand: it merges
// small packs, and drops what `keep` and `max-size` do not hold, a bounded piece at a time. It never touches the trash. A
// save of the folder and one of values do the same.

internal import MementoStore
internal import MementoSystem

struct AutomaticUpkeep {
  /// The upkeep takes at most this part of the time that the save itself took: one in so many. A store near its budget may
  /// take more, see `CollectionHurry`; and so may the merge after a short save, see `spread`.
  static let share: UInt64 = 2
  /// The flushes of a merge may take as long as is allowed once for each so many packs that it merges. There is a pack for
  /// each save.
  private static let packsPerTurn: UInt64 = 4
  /// So many nanoseconds nobody notices.
  private static let unnoticed: UInt64 = 4_000_000
  /// With so many packs, a merge is done however long its flushes take.
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
    // With --no-sync nothing is flushed, so nothing may be removed.
    guard repository.folderConfig.retention.isAutomatic, repository.store.folder.isDurable else { return }
    let now = clock()
    let allowed = (now > start ? now - start : 0) / AutomaticUpkeep.share
    let piece = CollectionPiece(repository: repository, clock: clock)
    // A store near its budget needs room first.
    let hurry = piece.hurry()
    if hurry == .none, merge(now, allowed, piece) { return }
    piece.run(allowed: allowed, hurry)
  }

  /// Merges packs. False when there was nothing to do, or when another process kept it from that.
  private func merge(_ now: UInt64, _ allowed: UInt64, _ piece: CollectionPiece) -> Bool {
    let merge = PackMerge(repository.store)
    let limit = max(allowed, spread(allowed, over: PackMerge.due)) / 1000 * CollectionPiece.speed
    var packs = merge.packs(copyingAtMost: limit)
    if packs.isEmpty || repository.store.folder.mayHaveUnsynced { return false }
    // A collection that moves blobs from pack to pack would find them in another one.
    let busy = piece.packsAtWork
    if !busy.isDisjoint(with: packs) {
      packs = merge.packs(copyingAtMost: limit, besides: busy)
      if packs.isEmpty { return false }
    }
    let known = repository.worktree.mergedPacks()
    // What its flushes take beyond that is spread over the saves that made the packs.
    if known.fixedCost / turns(packs.count) > allowed, packs.count < AutomaticUpkeep.overdue { return false }
    let spread = spread(allowed, over: packs.count)
    let time = max(allowed - min(known.fixedCost, allowed / 2), spread - min(known.fixedCost, spread))
    // An error is no concern of the save, which is done: what could not be merged is there as before.
    let count = try? run(merge, packs, known, from: now, until: now + time)
    return count ?? 0 > 0
  }

  /// How often one save's time may be taken by a merge of so many packs, each of which comes from a save.
  private func turns(_ packs: Int) -> UInt64 {
    max(UInt64(packs) / AutomaticUpkeep.packsPerTurn, 1)
  }

  /// A short save has no time to copy more than a few packs, and each merge flushes. So copying is spread over the saves that
  /// made the packs, too, up to what nobody notices. Nanoseconds, in and out.
  private func spread(_ allowed: UInt64, over packs: Int) -> UInt64 {
    let (time, isTooMuch) = allowed.multipliedReportingOverflow(by: turns(packs))
    return isTooMuch ? AutomaticUpkeep.unnoticed : min(time, AutomaticUpkeep.unnoticed)
  }

  private func run(
    _ merge: PackMerge, _ packs: [ObjectID], _ known: MergedPacks, from start: UInt64, until end: UInt64
  ) throws(StoreError) -> Int {
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
    let now = clock()
    if merged == 0 {
      // The time was up before there was anything to merge. The next one comes when it may take longer.
      let cost = now > start ? now - start : 0
      if cost <= known.fixedCost { return 0 }
      known.fixedCost = cost
    } else {
      known.fixedCost = now > copied ? now - copied : 0
    }
    repository.worktree.keepDerived(MergedPacks.fileName, known.encoded())
    return merged
  }
}
