// The last part of a collection in pieces: removes packs of which nothing is needed, puts versions of files and folders
// side by side, and rewrites packs of which little is left.

internal import MementoStore
internal import MementoSystem

struct CollectionSweep {
  /// A piece of rewriting may copy so much.
  private static let leastCopied: UInt64 = 64 << 10
  /// A pack is rewritten for its versions when so many percent of it would go.
  private static let mixedPercent: UInt64 = 20

  let repository: Repository
  let clock: @Sendable () -> UInt64
  let time: CollectionPiece.Time

  private var store: Store { repository.store }

  /// Does one piece. All that is needed is marked. Returns true when the collection is at its end.
  func run(
    _ collection: inout SpreadCollection, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> Bool {
    let present = Set(try store.index.presentPacks())
    collection.sparse.removeAll { !present.contains($0.id) }
    collection.unsorted.removeAll { !present.contains($0) }
    let sorted = collection.sparse.filter { !collection.unsorted.contains($0.id) }
    if !collection.packs.isEmpty {
      try look(&collection, present, holding: lock)
      if collection.packs.isEmpty {
        chooseSorting(&collection)
        // What a merge took for its flushes, rewriting will take.
        collection.header.fixedCost = max(collection.header.fixedCost, repository.worktree.mergedPacks().fixedCost)
      }
    } else if !sorted.isEmpty {
      // Packs whose versions are in other packs go before more is written.
      try rewrite(&collection, sorted, present, holding: lock)
    } else if !collection.unsorted.isEmpty {
      try sort(&collection, present, holding: lock)
    }
    return collection.packs.isEmpty && collection.sparse.isEmpty
  }

  // MARK: What is to be done

  private func look(
    _ collection: inout SpreadCollection, _ present: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    var dead: [ObjectID] = []
    let percent: UInt64 = collection.limit == nil ? 20 : 5
    let sweep = PieceSweep(store)
    var isFirst = true
    while let pack = collection.packs.last, isFirst || clock() < time.end {
      isFirst = false
      collection.packs.removeLast()
      // A merge may have taken it since.
      guard present.contains(pack) else { continue }
      let use = try sweep.use(of: pack, sparse: percent, collection.place)
      if !use.isNeeded {
        dead.append(pack)
      } else if use.isSparse {
        collection.sparse.append((pack, use.live))
        collection.unsortedBytes += use.stored(use.unsorted)
      } else if use.isMixed(CollectionSweep.mixedPercent) {
        collection.mixed.append((pack, use.live - use.unsorted))
        collection.unsortedBytes += use.stored(use.unsorted)
      }
    }
    try sweep.remove(dead, holding: lock)
  }

  /// Versions are put side by side where they take enough. Packs that hold some already wait for that, too.
  private func chooseSorting(_ collection: inout SpreadCollection) {
    if collection.unsortedBytes >= Sweep.leastVersions {
      collection.sparse += collection.mixed
      collection.unsorted = collection.sparse.map(\.id)
    }
    collection.mixed = []
    collection.unsortedBytes = 0
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
    let part = sort.part(of: collection.unsorted)
    let end = time.began + time.allowed
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
    collection.sparse.removeAll { done.gone.contains($0.id) }
    let finished = clock()
    collection.header.fixedCost += finished > copied ? finished - copied : 0
  }
}
