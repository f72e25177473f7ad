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
  /// of times. `busy`: packs that stay as they are.
  package func packs(copyingAtMost limit: UInt64, besides busy: Set<ObjectID> = []) -> [ObjectID] {
    let small = store.index.smallPacks(below: Sweep.smallPack).filter { !busy.contains($0.id) }
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
    let first = try merge(packs, note: note, while: mayGoOn)
    // One of the other kind among many must not keep these from being merged.
    return first.merged == 0 ? try merge(first.others, note: note, while: mayGoOn).merged : first.merged
  }

  /// Merges the packs that are of the kind of the first one: those of versions that stand side by side, or the others. What
  /// becomes of a pack depends on that. `others`: those of the other kind, as far as it looked.
  private func merge(
    _ packs: [ObjectID], note: (_ merged: [ObjectID], _ into: ObjectID) -> Void, while mayGoOn: () -> Bool
  ) throws(StoreError) -> (merged: Int, others: [ObjectID]) {
    if packs.count < 2 { return (0, []) }
    var copier = try BlobCopier(store, replacing: Set(packs))
    do throws(StoreError) {
      let (merged, others) = try copy(packs, &copier, while: mayGoOn)
      guard merged.count >= 2 else {
        copier.discard()
        return (0, others)
      }
      let written = try copier.finish(replacing: Set(merged))
      // A pack has less than 4 GiB, so all of it is in one.
      guard written.count == 1, let new = written.first else { return (0, []) }
      let old = merged.filter { $0 != new }
      note(old, new)
      try store.packs.remove(old)
      return (merged.count, others)
    } catch {
      copier.discard()
      throw error
    }
  }

  private func copy(
    _ packs: [ObjectID], _ copier: inout BlobCopier, while mayGoOn: () -> Bool
  ) throws(StoreError) -> (merged: [ObjectID], others: [ObjectID]) {
    var reader = store.blobReader()
    var copied = BlobSet()
    var merged: [ObjectID] = []
    var others: [ObjectID] = []
    var isOfVersions: Bool?
    for pack in packs {
      if !mayGoOn() { break }
      // One that cannot be read stays as it is.
      guard let contents = try? store.index.contents(of: pack) else { continue }
      let hasVersions = contents.contents.blocks.contains { $0.arrangement == .versions }
      if isOfVersions ?? hasVersions != hasVersions {
        others.append(pack)
        continue
      }
      guard let pieces = pieces(of: contents, &reader) else { continue }
      isOfVersions = hasVersions
      for piece in pieces {
        switch piece {
        case .blob(let id, let bytes, let kind): if copied.insert(id) { try copier.add(id, bytes, kind) }
        case .block(let block, let stored, let blobs):
          for blob in blobs { _ = copied.insert(blob.id) }
          try copier.add(block, stored: stored, blobs)
        }
      }
      merged.append(pack)
    }
    return (merged, others)
  }

  /// What is copied of a pack.
  private enum Piece {
    case blob(ObjectID, [UInt8], BlockKind)
    /// A block as it is stored, for what stands in an order of its own.
    case block(BlockRecord, stored: [UInt8], [BlobRecord])
  }

  /// All of a pack. Nil when a blob of it cannot be read: gc and repair deal with such packs.
  private func pieces(of contents: PackContents, _ reader: inout BlobReader) -> [Piece]? {
    do throws(StoreError) {
      var result: [Piece] = []
      let placements = store.index.placements(of: contents)
      // The index may have forgotten the pack. It then stays, since nothing of it would be copied.
      guard placements.count == contents.contents.blobs.count else { return nil }
      var first = 0
      for block in contents.contents.blocks {
        let blobs = placements[first..<first + Int(block.blobCount)]
        first += blobs.count
        if blobs.isEmpty { continue }
        if block.arrangement != .walk {
          let stored = try reader.storedBlock(Array(blobs))
          result.append(.block(block, stored: stored, blobs.map { BlobRecord(id: $0.0, length: $0.1.length) }))
          continue
        }
        for (id, place) in blobs {
          result.append(.blob(id, try reader.withBlob(id, at: place) { Array($0) }.get(), block.kind))
        }
      }
      return result
    } catch {
      return nil
    }
  }
}
