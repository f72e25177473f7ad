// The last part of a collection that is spread over many saves: removes packs of which nothing is marked, and then rewrites
// those of which little is.

internal import MementoStore

struct CollectionSweep {
  /// A piece of rewriting may copy so much.
  private static let leastCopied: UInt64 = 64 << 10

  let repository: Repository
  let clock: @Sendable () -> UInt64

  private var store: Store { repository.store }

  /// Does what there is time for. All that `refs` name must be marked. Returns whether nothing is left to do.
  func run(
    _ collection: inout SpreadCollection, until end: UInt64, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> Bool {
    let present = Set(try store.index.presentPacks())
    let before = store.index.packBytes
    collection.sparse.removeAll { !present.contains($0.id) }
    let sweep = PieceSweep(store)
    let isLookedAt = collection.packs.isEmpty
    if !isLookedAt {
      try lookAtPacks(&collection, sweep, present, until: end, holding: lock)
      // What a merge took for its flushes, rewriting will take.
      if collection.packs.isEmpty {
        collection.header.fixedCost = max(collection.header.fixedCost, repository.worktree.mergedPacks().fixedCost)
      }
    } else if !collection.sparse.isEmpty {
      try rewrite(&collection, sweep, present, until: end, holding: lock)
    }
    collection.header.note(before, store.index.packBytes)
    return collection.packs.isEmpty && collection.sparse.isEmpty
  }

  private func lookAtPacks(
    _ collection: inout SpreadCollection, _ sweep: PieceSweep, _ present: Set<ObjectID>, until end: UInt64,
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    var dead: [ObjectID] = []
    let percent: UInt64 = collection.limit == nil ? 20 : 5
    var isFirst = true
    while let pack = collection.packs.last, isFirst || clock() < end {
      isFirst = false
      collection.packs.removeLast()
      // A merge may have taken it since.
      guard present.contains(pack) else { continue }
      let use = try sweep.use(of: pack, collection.isNeeded)
      if !use.isNeeded {
        dead.append(pack)
      } else if use.isSparse(percent) {
        collection.sparse.append((pack, use.live))
      }
    }
    try sweep.remove(dead, holding: lock)
  }

  private func rewrite(
    _ collection: inout SpreadCollection, _ sweep: PieceSweep, _ present: Set<ObjectID>, until end: UInt64,
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    let now = clock()
    let limit = max((end > now ? end - now : 0) / 1000 * CollectionPiece.speed, CollectionSweep.leastCopied)
    collection.sparse.sort { ($0.live, $0.id) < ($1.live, $1.id) }
    var chosen: [ObjectID] = []
    var size: UInt64 = 0
    for pack in collection.sparse where chosen.isEmpty || size + pack.live <= limit {
      chosen.append(pack.id)
      size += pack.live
    }
    var copied = now
    // A merge reads back what it writes, too.
    let merged = repository.worktree.mergedPacks()
    let words = Set(present.map(\.words.0))
    let trusted = Set(collection.written.compactMap { merged.present($0.words.0, among: words) })
    let done = try sweep.rewrite(
      chosen, keeping: collection.isNeeded, trusting: present.filter { trusted.contains($0.words.0) },
      copyingAtMost: limit,
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
