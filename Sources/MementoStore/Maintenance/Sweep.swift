// Removes every blob that is not in a given set. The sweep knows which blobs are stored; its caller knows which are
// reachable.

internal import MementoSystem

/// What a sweep is going to do.
package struct SweepPlan: Sendable {
  /// Packs without any needed blob. They are removed.
  package var dead: [PackContents] = []
  /// Packs to rewrite: a large enough part of each is not needed, or there are many small ones.
  package var rewritten: [PackContents] = []
  package var bytesFreed: UInt64 = 0
  package var bytesKept: UInt64 = 0
  package var blobsRemoved = 0
  /// For each blob that several packs hold, the pack with a copy that was read and is intact.
  var keepers: [ObjectID: ObjectID] = [:]
}

/// The second half of gc: removes blobs that are not needed.
package struct Sweep {
  /// A pack is rewritten when at least this percentage of its blobs' bytes is not needed.
  private static let threshold: UInt64 = 20
  /// A pack of fewer bytes is small. Each save makes a pack, and each pack is a file to open and an entry in every
  /// listing.
  private static let smallPack: UInt64 = 1 << 20
  /// If there are more small packs than this, they are merged.
  private static let smallPacks = 16

  private let store: Store
  private let isCancelled: @Sendable () -> Bool

  /// `isCancelled`: called often. When it returns true, the work ends with `.cancelled`, and nothing is lost.
  package init(_ store: Store, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.store = store
    self.isCancelled = isCancelled
  }

  private func checkCancellation() throws(StoreError) {
    if isCancelled() { throw .cancelled }
  }

  /// Reads the tables of contents of all packs and plans the sweep. Throws when one cannot be read: nothing may be
  /// removed then.
  package func plan(keeping needed: BlobSet) throws(StoreError) -> SweepPlan {
    var plan = SweepPlan()
    var packs: [PackContents] = []
    for id in try store.index.presentPacks().sorted() {
      try checkCancellation()
      packs.append(try store.index.contents(of: id))
    }
    plan.keepers = try wholeCopies(ofRepeatedIn: packs, keeping: needed)
    var seen = BlobSet()
    var small: [PackContents] = []
    for pack in packs {
      try checkCancellation()
      var live: UInt64 = 0
      var total: UInt64 = 0
      var dropped = 0
      for blob in pack.contents.blobs {
        total += UInt64(blob.length)
        // If several packs hold a blob, only one of them must keep it.
        let isKept = plan.keepers[blob.id].map { $0 == pack.id } ?? true
        if needed.contains(blob.id), isKept, seen.insert(blob.id) {
          live += UInt64(blob.length)
        } else {
          dropped += 1
        }
      }
      if live == 0 {
        plan.dead.append(pack)
        plan.bytesFreed += pack.size
        plan.blobsRemoved += dropped
      } else if (total - live) * 100 >= total * Sweep.threshold {
        plan.rewritten.append(pack)
        let kept = UInt64(Double(pack.size) * Double(live) / Double(total))
        plan.bytesFreed += pack.size - kept
        plan.bytesKept += kept
        plan.blobsRemoved += dropped
      } else {
        plan.bytesKept += pack.size
        if pack.size < Sweep.smallPack { small.append(pack) }
      }
    }
    if small.count > Sweep.smallPacks { plan.rewritten += small }
    return plan
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
  /// needed blobs are durable in new packs. A cancellation while new packs are written leaves the old ones. Returns the
  /// plan with the actual sizes.
  package func execute(
    _ plan: SweepPlan, keeping needed: BlobSet, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> SweepPlan {
    var done = plan
    try remove(plan.dead)
    if !plan.rewritten.isEmpty {
      let written = try rewrite(plan.rewritten, keeping: needed, plan.keepers)
      // A new pack may have the same content, and so the same name, as one of the old packs. It has replaced that one:
      // keep it.
      try remove(plan.rewritten.filter { !written.contains($0.id) })
      let all = plan.bytesFreed + plan.bytesKept
      var added: UInt64 = 0
      for id in written { added += try store.index.contents(of: id).size }
      let replaced = plan.rewritten.reduce(0) { $0 + $1.size }
      let dead = plan.dead.reduce(0) { $0 + $1.size }
      done.bytesKept = all - dead - replaced + added
      done.bytesFreed = dead + (replaced > added ? replaced - added : 0)
    }
    if !plan.dead.isEmpty || !plan.rewritten.isEmpty { try store.index.rebuild() }
    return done
  }

  private func remove(_ packs: [PackContents]) throws(StoreError) {
    try store.packs.remove(packs.map(\.id))
  }

  /// Copies the needed blobs of these packs into new packs, and returns the names of the new packs.
  private func rewrite(
    _ packs: [PackContents], keeping needed: BlobSet, _ keepers: [ObjectID: ObjectID]
  ) throws(StoreError) -> Set<ObjectID> {
    var copier = try BlobCopier(store, replacing: Set(packs.map(\.id)))
    do throws(StoreError) {
      var reader = store.blobReader()
      var copied: Set<ObjectID> = []
      for pack in packs {
        var blob = 0
        for block in pack.contents.blocks {
          try checkCancellation()
          for _ in 0..<block.blobCount {
            let id = pack.contents.blobs[blob].id
            blob += 1
            guard needed.contains(id) else { continue }
            // A pack that stays may hold the blob too, but damaged. So copy the blob if its intact copy is here.
            let isKeeper = keepers[id] == pack.id && !copied.contains(id)
            guard copier.claim(id) || isKeeper else { continue }
            if keepers[id] != nil { copied.insert(id) }
            // `read` checks the blob against its id. If it is damaged, gc ends here and nothing is lost.
            try copier.add(id, try reader.read(id), block.kind)
          }
        }
      }
      return try copier.finish()
    } catch {
      copier.discard()
      throw error
    }
  }
}
