// The last part of a collection that is spread over many saves: removes packs of which nothing is marked, puts versions of
// files and folders side by side, and rewrites packs of which little is left.

internal import MementoStore

struct CollectionSweep {
  /// A piece looks at so many packs, however long it takes.
  private static let leastLooks = 16
  /// A piece of rewriting may copy so much.
  private static let leastCopied: UInt64 = 64 << 10
  /// A pack is rewritten for its versions when so many percent of it would go.
  private static let mixedPercent: UInt64 = 20
  /// Versions are put side by side when they take this part of the packs: one in so many.
  private static let share: UInt64 = 16
  /// Versions of so many bytes of packs are put side by side together. Until the last of them is copied, the store holds
  /// both copies.
  private static let partSize: UInt64 = 64 << 20

  let repository: Repository
  let clock: @Sendable () -> UInt64
  let time: CollectionPiece.Time

  private var store: Store { repository.store }

  /// Does what there is time for. All that `refs` name must be marked. Returns whether nothing is left to do.
  func run(
    _ collection: inout SpreadCollection, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> Bool {
    let present = Set(try store.index.presentPacks())
    let before = store.index.packBytes
    collection.keep(present)
    if !collection.packs.isEmpty {
      try look(&collection, present, holding: lock)
      if collection.packs.isEmpty {
        if !isWorthSorting(collection) { collection.sortsNothing() }
        // What a merge took for its flushes, rewriting will take.
        collection.header.fixedCost = max(collection.header.fixedCost, repository.worktree.mergedPacks().fixedCost)
      }
    } else {
      // Packs whose versions are in other packs go before more is written.
      let unsorted = Set(collection.unsorted)
      let sorted = (collection.sparse + collection.mixed).filter { !unsorted.contains($0.id) }
      if !sorted.isEmpty {
        try rewrite(&collection, sorted, present, holding: lock)
      } else if !unsorted.isEmpty {
        try sort(&collection, present, holding: lock)
      }
    }
    collection.header.note(before, store.index.packBytes)
    return collection.packs.isEmpty && collection.sparse.isEmpty && collection.mixed.isEmpty
  }

  // MARK: What is to be done

  private func look(
    _ collection: inout SpreadCollection, _ present: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    var dead: [ObjectID] = []
    let hasBudget = collection.limit != nil
    let sweep = PieceSweep(store)
    var looks = 0
    while let pack = collection.packs.last, looks < CollectionSweep.leastLooks || clock() < time.end {
      looks += 1
      collection.packs.removeLast()
      // A gc by hand may have taken it since.
      guard present.contains(pack) else { continue }
      let use = try sweep.use(of: pack, collection.place)
      if !use.isNeeded {
        dead.append(pack)
        continue
      }
      // In a budget the oldest snapshots go all the time. Their versions would be sorted to be dropped.
      let isSorted = !hasBudget && use.size <= CollectionSweep.partSize && use.isMixed(CollectionSweep.mixedPercent)
      if use.isSparse(hasBudget ? 5 : 20) {
        collection.sparse.append((pack, use.live))
      } else if isSorted {
        collection.mixed.append((pack, use.live - use.unsorted))
      }
      if isSorted {
        collection.unsorted.append(pack)
        collection.unsortedBytes += use.unsortedInPack
      }
    }
    try sweep.remove(dead, holding: lock)
  }

  /// A few versions wait for others: what is sorted at once is a part of the store, so there are not many of these parts.
  private func isWorthSorting(_ collection: SpreadCollection) -> Bool {
    collection.unsortedBytes >= max(Sweep.leastVersions, store.index.packBytes / CollectionSweep.share)
  }

  // MARK: Doing it

  /// Packs that this collection has written, and has read back, also where a merge has taken them since.
  private func trusted(_ collection: SpreadCollection, _ present: Set<ObjectID>) -> Set<ObjectID> {
    // A merge reads back what it writes, too.
    let merged = repository.worktree.mergedPacks()
    let words = Set(present.map(\.words.0))
    let trusted = Set(collection.written.compactMap { merged.present($0.words.0, among: words) })
    return present.filter { trusted.contains($0.words.0) }
  }

  /// Writes one block at least. That may take longer than the save allows; it then comes as seldom.
  private func sort(
    _ collection: inout SpreadCollection, _ present: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    let sort = VersionSort(store)
    let part = sort.part(of: collection.unsorted, limit: CollectionSweep.partSize)
    let end = time.allowed
    let clock = clock
    let done = try sort.run(
      part, place: collection.place, trusting: trusted(collection, present), while: { clock() < end }, holding: lock)
    collection.written.formUnion(done.written)
    if done.isAll {
      let part = Set(part)
      collection.unsorted.removeAll { part.contains($0) }
    }
    let now = clock()
    collection.header.fixedCost = (now > time.began ? now - time.began : 0) / 2
  }

  private func rewrite(
    _ collection: inout SpreadCollection, _ packs: [(id: ObjectID, live: UInt64)], _ present: Set<ObjectID>,
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    let now = clock()
    let end = time.end
    let limit = max((end > now ? end - now : 0) / 1000 * CollectionPiece.speed, CollectionSweep.leastCopied)
    var chosen: [ObjectID] = []
    var size: UInt64 = 0
    for pack in packs.sorted(by: { ($0.live, $0.id) < ($1.live, $1.id) })
    where chosen.isEmpty || size + pack.live <= limit {
      chosen.append(pack.id)
      size += pack.live
    }
    var copied = now
    let done = try PieceSweep(store).rewrite(
      chosen, keeping: collection.isNeeded, trusting: trusted(collection, present), copyingAtMost: limit,
      while: {
        copied = clock()
        return copied < end
      }, holding: lock)
    collection.written.formUnion(done.written)
    let gone = Set(done.gone)
    collection.sparse.removeAll { gone.contains($0.id) }
    collection.mixed.removeAll { gone.contains($0.id) }
    let finished = clock()
    collection.header.fixedCost += finished > copied ? finished - copied : 0
  }
}
