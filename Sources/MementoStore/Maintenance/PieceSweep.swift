// Removes what is not needed from a store, a bounded amount at a time. Each call leaves a whole store, wherever it
// ends: new packs are durable and read back before those that they replace are removed.

internal import MementoSystem

/// How much of a pack is needed.
package struct PackUse: Sendable {
  /// The bytes of its blobs that are needed, before compression, and of all. Of a blob that several packs hold, one copy
  /// counts.
  package var live: UInt64 = 0
  package var total: UInt64 = 0
  /// Whether it holds any blob that is needed. A blob may have no bytes.
  package var isNeeded = false
  /// What only older snapshots need and is not yet beside other versions, in bytes before compression.
  package fileprivate(set) var unsorted: UInt64 = 0
  /// Whether versions of files stand side by side in it.
  fileprivate var hasVersions = false
  /// The bytes of the pack.
  package fileprivate(set) var size: UInt64 = 0

  /// To compress versions takes long, so a pack of them is rewritten when so many percent are not needed.
  private static let percentOfVersions: UInt64 = 20

  /// Whether it is to be rewritten: at least so many percent of it are not needed.
  package func isSparse(_ percent: UInt64) -> Bool {
    let percent = hasVersions ? max(percent, PackUse.percentOfVersions) : percent
    return live < total && (total - live) * 100 >= total * percent
  }

  /// Whether it is to be rewritten when versions are put side by side: so many percent are not needed or would come
  /// elsewhere.
  package func isMixed(_ percent: UInt64) -> Bool {
    unsorted > 0 && (total - live + unsorted) * 100 >= total * percent
  }

  /// What its versions take in the pack.
  package var unsortedInPack: UInt64 { UInt64(Double(size) * Double(unsorted) / Double(max(total, 1))) }
}

/// The second half of a collection that is spread over many saves.
package struct PieceSweep {
  private let store: Store

  package init(_ store: Store) {
    self.store = store
  }

  /// How much of a pack is needed, as its own table of contents says. `place`: where a blob belongs; nil when it is not
  /// needed.
  package func use(of pack: ObjectID, _ place: (ObjectID) -> VersionPlace?) throws(StoreError) -> PackUse {
    var use = PackUse()
    let canSort = store.config.compression.ofVersions != nil
    let pack = try store.index.contents(of: pack)
    use.size = pack.size
    var blob = 0
    for block in pack.contents.blocks {
      let isSorted = block.arrangement == .versions
      use.hasVersions = use.hasVersions || isSorted
      for _ in 0..<block.blobCount {
        let record = pack.contents.blobs[blob]
        blob += 1
        use.total += UInt64(record.length)
        guard let place = place(record.id) else { continue }
        use.isNeeded = true
        guard try counts(record.id, in: pack) else { continue }
        use.live += UInt64(record.length)
        let mayBeSorted = canSort && !isSorted && place.key != .none
        if mayBeSorted, Int(record.length) <= VersionBlocks.largestInPiece(block.kind) {
          use.unsorted += UInt64(record.length)
        }
      }
    }
    return use
  }

  /// Whether the copy of a blob in this pack counts: of several that in the largest pack. A process that is killed between
  /// the new packs and the removal of the old ones leaves two, and two saves at the same time may.
  private func counts(_ id: ObjectID, in pack: PackContents) throws(StoreError) -> Bool {
    for place in try store.index.knownPlaces(of: id) {
      let other = store.index.pack(place.pack)
      if (other.size, other.id) > (pack.size, pack.id), store.index.hasCopy(id, at: place) { return false }
    }
    return true
  }

  /// Removes packs of which nothing is needed.
  package func remove(_ packs: [ObjectID], holding lock: borrowing StoreLock<RemovesPacks>) throws(StoreError) {
    if packs.isEmpty { return }
    try lock.check()
    store.index.add([], since: store.index.packsModified(), replacing: Set(packs))
    try store.packs.remove(packs)
  }

  /// Copies what is needed of some packs into new ones and removes those of which everything was copied. The blobs of
  /// one that is too large for one call are copied in several. What lies in a block of versions is copied into one.
  /// `trusted`: packs that earlier calls have written, and so have read back; a copy of a blob in any other pack is read
  /// before it counts. `limit`: so many bytes are copied at most, or the rest of a block of versions. `mayGoOn`: asked
  /// often. Returns the packs that are gone, and the new ones.
  package func rewrite(
    _ packs: [ObjectID], keeping isNeeded: (ObjectID) -> Bool, trusting trusted: Set<ObjectID>,
    copyingAtMost limit: UInt64, while mayGoOn: () -> Bool, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> (gone: [ObjectID], written: Set<ObjectID>) {
    try lock.check()
    var copier = try BlobCopier(store, replacing: Set(packs))
    do throws(StoreError) {
      let copied = try copy(
        packs, keeping: isNeeded, trusted, limit, while: mayGoOn, into: &copier)
      // Nothing is removed before the new packs are durable and have been read back.
      let written = try copier.finish(replacing: Set(copied))
      // A new pack may have the name of one that it replaces.
      let gone = copied.filter { !written.contains($0) }
      if written.isEmpty {
        try remove(gone, holding: lock)
      } else {
        try store.packs.remove(gone)
      }
      return (copied, written)
    } catch {
      copier.discard()
      throw error
    }
  }

  /// Returns the packs of which everything that is needed is elsewhere now.
  private func copy(
    _ packs: [ObjectID], keeping isNeeded: (ObjectID) -> Bool, _ trusted: Set<ObjectID>, _ limit: UInt64,
    while mayGoOn: () -> Bool, into copier: inout BlobCopier
  ) throws(StoreError) -> [ObjectID] {
    let leaving = Set(packs)
    var reader = store.blobReader()
    var seen = BlobSet()
    var bytes: UInt64 = 0
    var read: UInt64 = 0
    var done: [ObjectID] = []
    for pack in packs {
      let contents = try store.index.contents(of: pack).contents
      var blob = 0
      for block in contents.blocks {
        let areVersions = copier.keepsVersions && block.arrangement == .versions
        let before = bytes
        for _ in 0..<block.blobCount {
          let id = contents.blobs[blob].id
          blob += 1
          guard isNeeded(id), seen.insert(id) else { continue }
          // Something is copied in each call, so that it comes to an end. A block of versions is copied as a whole, so that
          // they stay side by side.
          let mayEnd = bytes > 0 && !(areVersions && bytes > before)
          if mayEnd, bytes >= limit || !mayGoOn() { return done }
          if !copier.claim(id) {
            if try isElsewhere(id, trusted) { continue }
            // Reading is no progress that the next call could rely on: there is an end to it, too.
            if read < limit / 2, try isReadElsewhere(id, leaving, &reader) {
              read += UInt64(contents.blobs[blob - 1].length)
              continue
            }
          }
          // `read` checks the blob against its id. If it is damaged, nothing is removed.
          let content = try reader.read(id)
          bytes += UInt64(content.count)
          if areVersions {
            try copier.add(version: id, content, block.kind)
          } else {
            try copier.add(id, content, block.kind)
          }
        }
      }
      done.append(pack)
    }
    return done
  }

  /// Whether a pack that stays holds the blob, and that copy can be read.
  private func isReadElsewhere(
    _ id: ObjectID, _ leaving: Set<ObjectID>, _ reader: inout BlobReader
  ) throws(StoreError) -> Bool {
    for place in try store.index.knownPlaces(of: id) where !leaving.contains(store.index.packID(place.pack)) {
      guard store.index.hasCopy(id, at: place) else { continue }
      do throws(StoreError) {
        _ = try reader.withBlob(id, at: place) { $0.count }
        return true
      } catch {
        // It does not count, and what is here is copied.
      }
    }
    return false
  }

  /// Whether one of these packs holds the blob for certain.
  func isElsewhere(_ id: ObjectID, _ packs: Set<ObjectID>) throws(StoreError) -> Bool {
    try store.index.knownPlaces(of: id).contains { place in
      packs.contains(store.index.packID(place.pack)) && store.index.hasCopy(id, at: place)
    }
  }
}
