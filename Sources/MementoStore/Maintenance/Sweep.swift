// Drops every blob but a given set. Knows what is stored; what is reachable is decided above.

internal import MementoSystem

/// What a sweep does, before it does it.
package struct SweepPlan: Sendable {
  /// Packs without a blob that is needed.
  package var dead: [PackContents] = []
  /// Packs worth writing anew: enough of them is not needed, or they are many and small.
  package var rewritten: [PackContents] = []
  package var bytesFreed: UInt64 = 0
  package var bytesKept: UInt64 = 0
  package var blobsRemoved = 0
  /// Of blobs that several packs hold: the pack with a copy that is whole.
  var keepers: [ObjectID: ObjectID] = [:]
}

package struct Sweep {
  /// A pack is written anew when at least this share of its blobs' bytes is not needed, in percent.
  private static let threshold: UInt64 = 20
  /// Packs of fewer bytes are small. Each save makes one, and each is a file to open and a line in every list.
  private static let smallPack: UInt64 = 1 << 20
  /// More small packs than this are merged into one.
  private static let smallPacks = 16

  private let store: Store
  private let isCancelled: @Sendable () -> Bool

  /// `isCancelled`: asked again and again; true ends the work with `.cancelled`, and nothing is lost by it.
  package init(_ store: Store, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.store = store
    self.isCancelled = isCancelled
  }

  private func checkCancellation() throws(StoreError) {
    if isCancelled() { throw .cancelled }
  }

  /// Looks at all packs. Throws when one cannot be read: then nothing may be dropped.
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
        // A blob that another pack holds, too, is needed once.
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

  /// Calls `body` with each blob of a tree, a list or a snapshot that a plan drops, as far as it can be read: it is for
  /// saying what goes, and decides nothing.
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

  /// Which copy stays of blobs that are there several times: one that has been read and found right. Throws when a blob has
  /// no such copy: then nothing may be dropped.
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

  /// Carries out a plan: dead packs go first, since that needs no space; the others go only when
  /// what is needed of them is durable elsewhere. A cancellation ends the writing of new packs: the old ones stay. Returns the plan with the sizes as they have turned out.
  package func execute(
    _ plan: SweepPlan, keeping needed: BlobSet, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> SweepPlan {
    var done = plan
    try remove(plan.dead)
    if !plan.rewritten.isEmpty {
      let written = try rewrite(plan.rewritten, keeping: needed, plan.keepers)
      // Blobs that lie in several packs may make up one of these once more: it is the new one now.
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

  /// Returns the names of the new packs.
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
            // Another pack that stays may hold it, but damaged.
            let isKeeper = keepers[id] == pack.id && !copied.contains(id)
            guard copier.claim(id) || isKeeper else { continue }
            if keepers[id] != nil { copied.insert(id) }
            // Read and checked against its id: damage ends the collection with nothing lost.
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
