// Merges small packs into a larger one. Each save makes a pack, and each pack is a file to list, to examine and to open. A
// merge copies all blobs of the packs, needed or not, so it has to know nothing of snapshots.

internal import MementoSystem

/// Merges small packs, a few at a time.
package struct PackMerge {
  /// From so many packs on that can be merged into one, a merge pays off.
  package static let due = 16
  /// So many are merged at most.
  private static let most = 512

  /// What a row of an index table costs, in bytes that could be copied meanwhile. The tables that list the merged packs
  /// are written again.
  private static let rowCost: UInt64 = 2

  private let store: Store

  package init(_ store: Store) {
    self.store = store
  }

  /// The packs to merge now, the smallest first; empty when there are too few. Asks only the index, with no system call.
  /// `limit`: how many bytes may be copied. Packs of like size are merged, so that a blob is copied a logarithmic number
  /// of times.
  package func packs(copyingAtMost limit: UInt64) -> [ObjectID] {
    let small = store.index.smallPacks(below: Sweep.smallPack)
    guard small.count >= PackMerge.due else { return [] }
    var chosen: [ObjectID] = []
    var tables: Set<Int> = []
    var size: UInt64 = 0
    var cost: UInt64 = 0
    for pack in small where chosen.count < PackMerge.most {
      if !chosen.isEmpty, pack.size > size * 2 {
        if chosen.count >= PackMerge.due { break }
        // The few smaller ones wait for others.
        (chosen, tables, size, cost) = ([], [], 0, 0)
      }
      let more = pack.size + (tables.contains(pack.table) ? 0 : UInt64(pack.rows) * PackMerge.rowCost)
      if cost + more > limit { continue }
      chosen.append(pack.id)
      tables.insert(pack.table)
      size += pack.size
      cost += more
    }
    return chosen.count >= PackMerge.due ? chosen : []
  }

  /// Merges packs into one that is durable and was read back, and removes them. A pack that cannot be read as a whole
  /// stays as it is. `mayGoOn`: asked before each pack; when it returns false, only those before are merged. `note`: told
  /// which pack holds everything that the merged ones hold, before these are removed. Returns how many were merged.
  package func run(
    _ packs: [ObjectID], holding lock: borrowing StoreLock<RemovesPacks>, while mayGoOn: () -> Bool,
    note: (_ merged: [ObjectID], _ into: ObjectID) -> Void
  ) throws(StoreError) -> Int {
    try lock.check()
    var copier = try BlobCopier(store, replacing: Set(packs))
    do throws(StoreError) {
      let merged = try copy(packs, &copier, while: mayGoOn)
      guard merged.count >= 2 else {
        copier.discard()
        return 0
      }
      let written = try copier.finish(replacing: Set(merged))
      // A pack has less than 4 GiB, so all of it is in one.
      guard written.count == 1, let new = written.first else { return 0 }
      let old = merged.filter { $0 != new }
      note(old, new)
      try store.packs.remove(old)
      return merged.count
    } catch {
      copier.discard()
      throw error
    }
  }

  private func copy(
    _ packs: [ObjectID], _ copier: inout BlobCopier, while mayGoOn: () -> Bool
  ) throws(StoreError) -> [ObjectID] {
    var reader = store.blobReader()
    var copied = BlobSet()
    var merged: [ObjectID] = []
    for pack in packs {
      if !mayGoOn() { break }
      guard let blobs = blobs(of: pack, &reader) else { continue }
      for blob in blobs where copied.insert(blob.id) { try copier.add(blob.id, blob.bytes, blob.kind) }
      merged.append(pack)
    }
    return merged
  }

  /// All blobs of a pack. Nil when one of them cannot be read, and when gc has written the pack: gc and repair deal with
  /// such packs.
  private func blobs(
    of pack: ObjectID, _ reader: inout BlobReader
  ) -> [(id: ObjectID, bytes: [UInt8], kind: BlockKind)]? {
    do throws(StoreError) {
      var result: [(ObjectID, [UInt8], BlockKind)] = []
      let contents = try store.index.contents(of: pack)
      // gc has put these blobs in their places.
      guard contents.contents.blocks.allSatisfy({ $0.arrangement == .walk }) else { return nil }
      let placements = store.index.placements(of: contents)
      // The index may have forgotten the pack. It then stays, since nothing of it would be copied.
      guard placements.count == contents.contents.blobs.count else { return nil }
      for (id, place) in placements {
        let bytes = try reader.withBlob(id, at: place) { Array($0) }.get()
        result.append((id, bytes, place.block.kind))
      }
      return result
    } catch {
      return nil
    }
  }
}
