// Removes every blob that is not in a given set. The sweep knows which blobs are stored; its caller knows which are
// reachable.

internal import MementoSystem

/// Which packs are rewritten although most of them is needed.
package enum SweepExtent: Sendable {
  /// None: what is left in them goes when more of the pack is not needed.
  case sparse
  /// Those with a blob of this set that is not needed: nothing of it stays.
  case removing(BlobSet)
  /// Those with anything that is not needed.
  case everything

  fileprivate func mayStay(_ id: ObjectID) -> Bool {
    switch self {
    case .sparse: true
    case .removing(let blobs): !blobs.contains(id)
    case .everything: false
    }
  }
}

/// What a sweep is going to do.
package struct SweepPlan: Sendable {
  /// Packs without any needed blob. They are removed.
  package var dead: [PackContents] = []
  /// Packs to rewrite: a large enough part of each is not needed, or needed only by older snapshots and not yet beside
  /// other versions; or there are many small ones.
  package var rewritten: [PackContents] = []
  /// After the sweep: packs of `rewritten` that are as they were, because the disk is full.
  package var unwritten: [PackContents] = []
  /// After the sweep: packs of `rewritten` that are as they were, because the time was over.
  package var postponed: [PackContents] = []
  /// Of packs of `rewritten`: how many blobs come beside other versions of their paths.
  var versions: [ObjectID: Int] = [:]
  /// Whether blobs of `rewritten` come beside other versions of their paths. A few of them are not worth a pack of their own.
  var sortsVersions = false
  /// How many blobs come beside other versions of their paths; after the sweep, how many did.
  package var versionsSorted = 0
  package var bytesFreed: UInt64 = 0
  package var bytesKept: UInt64 = 0
  /// Of `bytesKept`, what is needed.
  package var bytesNeeded: UInt64 = 0
  package var blobsRemoved = 0
  /// A pack is rewritten when at least this percentage of its blobs' bytes is not needed.
  package var threshold: UInt64 = 0
  /// Which packs are rewritten besides.
  var extent = SweepExtent.sparse
  /// For each blob that several packs hold, the pack with a copy that was read and is intact.
  var keepers: [ObjectID: ObjectID] = [:]
}

extension PackContents {
  /// Whether gc has written the pack.
  fileprivate var isInPlace: Bool { contents.blocks.contains { $0.arrangement != .walk } }
}

extension SweepPlan {
  fileprivate mutating func note(_ count: Int, in pack: PackContents) {
    if count == 0 { return }
    versions[pack.id] = count
    versionsSorted += count
  }
}

/// The second half of gc: removes blobs that are not needed.
package struct Sweep {
  /// The threshold of a plan: the first, unless the store is to be smaller than that makes it.
  private static let thresholds: [UInt64] = [20, 10, 5, 2, 1]
  /// A pack of fewer bytes is small. Each save makes a pack, and each pack is a file to open and an entry in every
  /// listing.
  static let smallPack: UInt64 = 1 << 20
  /// If there are more small packs than this, they are merged.
  private static let smallPacks = 16

  /// It pays off to put versions side by side when this many bytes of packs are theirs.
  package static let leastVersions: UInt64 = 256 << 10

  private let store: Store
  private let order: BlobOrder?
  private let recompresses: Bool
  private let canCompressAnew: Bool
  private let leastVersions: UInt64
  private let isCancelled: @Sendable () -> Bool

  /// `order`: of the needed blobs, by their numbers in the set; nil leaves all blobs in the order in which they lie.
  /// `recompresses`: rewrites also what saves have compressed in haste, if that makes it smaller.
  /// `isCancelled`: called often. When it returns true, the work ends with `.cancelled`, and nothing is lost.
  package init(
    _ store: Store, order: BlobOrder? = nil, recompresses: Bool = false, leastVersions: UInt64 = Sweep.leastVersions,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.store = store
    // Without a codec that sees far, nothing is gained.
    self.order = store.config.compression.ofVersions == nil ? nil : order
    let compression = store.config.compression
    self.recompresses = recompresses
    canCompressAnew = order != nil && compression.anew != compression
    self.leastVersions = leastVersions
    self.isCancelled = isCancelled
  }

  private func checkCancellation() throws(StoreError) {
    if isCancelled() { throw .cancelled }
  }

  /// A pack, and how much of it is needed.
  private struct Usage {
    var pack: PackContents
    /// Bytes of its blobs that are needed, before compression, and of all.
    var live: UInt64 = 0
    var total: UInt64 = 0
    var dropped = 0
    /// Whether it holds something that must not stay.
    var mustGo = false
    /// Of the needed ones, those that only older snapshots need: those that lie beside other versions, and the others.
    var sorted: UInt64 = 0
    var unsorted: UInt64 = 0
    var versions = 0
    /// Of the needed ones, those that were compressed in haste.
    var hasty: UInt64 = 0

    /// What the needed blobs take in the pack.
    var needed: UInt64 { stored(live) }

    /// What these bytes take in the pack.
    func stored(_ bytes: UInt64) -> UInt64 { UInt64(Double(pack.size) * Double(bytes) / Double(max(total, 1))) }

    func isRewritten(_ threshold: UInt64) -> Bool {
      mustGo || ((total - live) * 100 >= total * threshold && live < total)
    }

    /// Whether so much is not needed, when versions are going to be moved away.
    func isMixed(_ threshold: UInt64) -> Bool {
      (total - live + unsorted) * 100 >= total * threshold && unsorted > 0
    }
  }

  /// Reads the tables of contents of all packs and plans the sweep. Throws when one cannot be read: nothing may be
  /// removed then. `budget`: if the packs would keep more bytes than this, packs are rewritten of which less is not
  /// needed. `extent`: which packs are rewritten besides.
  package func plan(
    keeping needed: BlobSet, budget: UInt64? = nil, extent: SweepExtent = .sparse
  ) throws(StoreError) -> SweepPlan {
    var packs: [PackContents] = []
    for id in try store.index.presentPacks().sorted() {
      try checkCancellation()
      packs.append(try store.index.contents(of: id))
    }
    // Of a blob that several packs hold, the copy counts that gc has put in its place.
    packs = packs.filter(\.isInPlace) + packs.filter { !$0.isInPlace }
    let keepers = try wholeCopies(ofRepeatedIn: packs, keeping: needed)
    let usages = try usages(packs, keeping: needed, keepers, extent)
    var plan = SweepPlan()
    for threshold in Sweep.thresholds {
      plan = self.plan(usages, threshold)
      guard let budget, plan.bytesKept > budget else { break }
    }
    plan.keepers = keepers
    plan.extent = extent
    return plan
  }

  private func usages(
    _ packs: [PackContents], keeping needed: BlobSet, _ keepers: [ObjectID: ObjectID], _ extent: SweepExtent
  ) throws(StoreError) -> [Usage] {
    var seen = BlobSet()
    var result: [Usage] = []
    for pack in packs {
      try checkCancellation()
      var usage = Usage(pack: pack)
      var place = 0
      for block in pack.contents.blocks {
        for blob in pack.contents.blobs[place..<place + Int(block.blobCount)] {
          usage.total += UInt64(blob.length)
          // If several packs hold a blob, only one of them must keep it.
          let isKept = keepers[blob.id].map { $0 == pack.id } ?? true
          let needed = needed.number(of: blob.id)
          guard let number = needed, isKept, seen.insert(blob.id) else {
            usage.dropped += 1
            // Another copy of what is needed may stay.
            if needed == nil, !extent.mayStay(blob.id) { usage.mustGo = true }
            continue
          }
          usage.live += UInt64(blob.length)
          if block.arrangement == .walk, block.codec != .stored { usage.hasty += UInt64(blob.length) }
          guard order?.keyOfVersion(number) != nil, Int(blob.length) <= VersionBlocks.largestBlob(block.kind) else {
            continue
          }
          if block.arrangement == .versions {
            usage.sorted += UInt64(blob.length)
          } else {
            usage.unsorted += UInt64(blob.length)
            usage.versions += 1
          }
        }
        place += Int(block.blobCount)
      }
      result.append(usage)
    }
    return result
  }

  private func plan(_ usages: [Usage], _ threshold: UInt64) -> SweepPlan {
    var plan = SweepPlan()
    plan.threshold = threshold
    var small: [Usage] = []
    let sorting = packsToSort(usages, threshold)
    for usage in usages {
      plan.bytesNeeded += usage.needed
      if usage.live == 0 {
        plan.dead.append(usage.pack)
        plan.bytesFreed += usage.pack.size
        plan.blobsRemoved += usage.dropped
      } else if usage.isRewritten(threshold) || sorting.contains(usage.pack.id)
        || (recompresses && isHasty(usage, threshold))
      {
        plan.note(usage.versions, in: usage.pack)
        plan.rewritten.append(usage.pack)
        plan.bytesFreed += usage.pack.size - usage.needed
        plan.bytesKept += usage.needed
        plan.blobsRemoved += usage.dropped
      } else {
        plan.bytesKept += usage.pack.size
        if usage.pack.size < Sweep.smallPack { small.append(usage) }
      }
    }
    if small.count > Sweep.smallPacks {
      for usage in small {
        plan.note(usage.versions, in: usage.pack)
        plan.rewritten.append(usage.pack)
      }
    }
    plan.sortsVersions =
      !sorting.isEmpty || plan.rewritten.contains { $0.contents.blocks.contains { $0.arrangement == .versions } }
    if !plan.sortsVersions {
      plan.versions = [:]
      plan.versionsSorted = 0
    }
    return plan
  }

  /// Whether much of a pack would be smaller if it were compressed anew.
  private func isHasty(_ usage: Usage, _ threshold: UInt64) -> Bool {
    canCompressAnew && usage.hasty > 0 && usage.hasty * 100 >= usage.total * threshold
  }

  /// The packs to rewrite so that versions come side by side. Those that are sorted already are sorted again together with
  /// at least half as much, so that a blob is copied a logarithmic number of times. In the same way, what was compressed in
  /// haste is compressed anew, once.
  private func packsToSort(_ usages: [Usage], _ threshold: UInt64) -> Set<ObjectID> {
    let mixed = usages.filter { $0.live > 0 && $0.isMixed(threshold) }
    var size = mixed.reduce(UInt64(0)) { $0 + $1.stored($1.unsorted) }
    if mixed.isEmpty || size < leastVersions { return [] }
    var packs = Set(mixed.map(\.pack.id))
    let others = usages.filter { usage in
      usage.live > 0 && !packs.contains(usage.pack.id) && (usage.sorted > 0 || isHasty(usage, threshold))
    }
    for usage in others.sorted(by: { $0.pack.size < $1.pack.size }) where usage.pack.size <= size * 2 {
      packs.insert(usage.pack.id)
      size += usage.pack.size
    }
    return packs
  }

  /// Calls `body` with the id and the bytes of each tree, list or snapshot that the plan removes. It is for telling the
  /// user what goes, and decides nothing; so it skips blobs that cannot be read.
  package func forEachDroppedObject(
    _ plan: SweepPlan, keeping needed: BlobSet, _ body: (ObjectID, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    var reader = store.blobReader()
    var seen = BlobSet()
    for pack in plan.dead + plan.rewritten {
      try checkCancellation()
      for (id, place) in store.index.placements(of: pack) where place.block.kind == .meta {
        guard !needed.contains(id), seen.insert(id) else { continue }
        try checkCancellation()
        // One that cannot be read is not named.
        _ = try? reader.withBlob(id, at: place) { body(id, $0) }
      }
    }
  }

  /// For each needed blob that several packs hold, finds a pack whose copy is intact, by reading it. Throws when a blob
  /// has no intact copy: nothing may be removed then.
  private func wholeCopies(
    ofRepeatedIn packs: [PackContents], keeping needed: BlobSet
  ) throws(StoreError) -> [ObjectID: ObjectID] {
    var seen = BlobSet()
    var repeated: Set<ObjectID> = []
    for pack in packs {
      try checkCancellation()
      for blob in pack.contents.blobs where needed.contains(blob.id) && !seen.insert(blob.id) {
        repeated.insert(blob.id)
      }
    }
    var result: [ObjectID: ObjectID] = [:]
    if repeated.isEmpty { return result }
    var reader = store.blobReader()
    var failures: [ObjectID: StoreError] = [:]
    for pack in packs where pack.contents.blobs.contains(where: { repeated.contains($0.id) }) {
      for (id, place) in store.index.placements(of: pack) where repeated.contains(id) && result[id] == nil {
        try checkCancellation()
        do throws(StoreError) {
          _ = try reader.withBlob(id, at: place) { $0.count }
          result[id] = pack.id
        } catch {
          failures[id] = error
        }
      }
    }
    for (id, error) in failures where result[id] == nil { throw error }
    return result
  }

  /// Carries out a plan. Removes dead packs first, since that needs no space. Removes the others only after their
  /// needed blobs are durable in new packs. A cancellation while new packs are written leaves the old ones, and so does
  /// a full disk: `unwritten` names these. `limit`: what is beyond it stays as it is, in `postponed`. Returns the plan with
  /// the actual sizes.
  package func execute(
    _ plan: SweepPlan, keeping needed: BlobSet, within limit: SweepLimit = SweepLimit(),
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> SweepPlan {
    var done = plan
    try remove(plan.dead)
    let change =
      limit.isNone ? try rewriteAll(plan, keeping: needed) : try rewrite(plan, keeping: needed, within: limit)
    done.postponed = plan.rewritten.filter { change.postponed.contains($0.id) }
    done.unwritten = plan.rewritten.filter { !change.gone.contains($0.id) && !change.postponed.contains($0.id) }
    done.versionsSorted = change.gone.reduce(0) { $0 + (plan.versions[$1] ?? 0) }
    let all = plan.bytesFreed + plan.bytesKept
    let dead = plan.dead.reduce(0) { $0 + $1.size }
    let replaced = plan.rewritten.reduce(0) { $0 + (change.gone.contains($1.id) ? $1.size : 0) }
    done.bytesKept = all - dead - replaced + change.added
    done.bytesNeeded = min(done.bytesNeeded, done.bytesKept)
    done.bytesFreed = dead + (replaced > change.added ? replaced - change.added : 0)
    if !plan.dead.isEmpty || !change.gone.isEmpty { try store.index.rebuild() }
    return done
  }

  /// What rewriting has done: the packs that were rewritten, and the bytes of the new ones.
  private struct Rewriting {
    var gone: Set<ObjectID> = []
    var postponed: Set<ObjectID> = []
    var added: UInt64 = 0
  }

  /// Rewrites all packs at once, so that their blobs lie together. If there is no room for that, rewrites them one by
  /// one, those first that need the least room: each gives back some.
  private func rewriteAll(_ plan: SweepPlan, keeping needed: BlobSet) throws(StoreError) -> Rewriting {
    var done = Rewriting()
    if plan.rewritten.isEmpty { return done }
    do throws(StoreError) {
      try rewrite(plan.rewritten, plan, keeping: needed, &done)
      return done
    } catch {
      guard error.isNoSpace else { throw error }
    }
    let usages = try usages(plan.rewritten, keeping: needed, plan.keepers, plan.extent)
    for usage in usages.sorted(by: { $0.needed < $1.needed }) where usage.isRewritten(plan.threshold) {
      do throws(StoreError) {
        try rewrite([usage.pack], plan, keeping: needed, &done)
      } catch {
        guard error.isNoSpace else { throw error }
        return done
      }
    }
    return done
  }

  /// Rewrites packs in parts, the smallest first. Each part is complete by itself, and twice as large as the one before if
  /// the time is likely to do.
  private func rewrite(
    _ plan: SweepPlan, keeping needed: BlobSet, within limit: SweepLimit
  ) throws(StoreError) -> Rewriting {
    var done = Rewriting()
    var rest = plan.rewritten.sorted { ($0.size, $0.id) < ($1.size, $1.id) }[...]
    var parts = limit.parts()
    while let first = rest.first {
      guard let most = parts.next(atLeast: first.size) else { break }
      var part: [PackContents] = []
      var size: UInt64 = 0
      while let pack = rest.first, part.isEmpty || size + pack.size <= most {
        part.append(pack)
        size += pack.size
        rest.removeFirst()
      }
      do throws(StoreError) {
        try rewrite(part, plan, keeping: needed, &done)
      } catch {
        guard error.isNoSpace else { throw error }
        return done
      }
      parts.note(size)
    }
    done.postponed = Set(rest.map(\.id))
    return done
  }

  private func rewrite(
    _ packs: [PackContents], _ plan: SweepPlan, keeping needed: BlobSet, _ done: inout Rewriting
  ) throws(StoreError) {
    let written = try PackRewrite(
      store: store, packs: packs, needed: needed, order: order, keepers: plan.keepers,
      sortsVersions: plan.sortsVersions, isCancelled: isCancelled
    ).run()
    // A new pack may have the same content, and so the same name, as one of the old packs. It has replaced that one:
    // keep it.
    try remove(packs.filter { !written.contains($0.id) })
    done.gone.formUnion(packs.map(\.id))
    for id in written { done.added += try store.index.contents(of: id).size }
  }

  private func remove(_ packs: [PackContents]) throws(StoreError) {
    try store.packs.remove(packs.map(\.id))
  }
}
