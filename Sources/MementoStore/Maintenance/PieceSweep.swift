// Removes what is not needed from a store, a bounded amount at a time. Each call leaves a whole store, wherever it
// ends: new packs are durable and read back before those that they replace are removed.

internal import MementoSystem

/// How much of a pack is needed.
package struct PackUse: Sendable {
  /// The bytes of its blobs that are needed, before compression, and of all.
  package var live: UInt64 = 0
  package var total: UInt64 = 0
  /// Whether it holds any blob that is needed. A blob may have no bytes.
  package var isNeeded = false
  /// What only older snapshots need and is not yet beside other versions, in bytes before compression. Of a pack of
  /// versions of which much is not needed, all of its versions.
  package var unsorted: UInt64 = 0
  fileprivate var sorted: UInt64 = 0
  fileprivate var hasVersions = false
  /// Whether versions of it can be sorted.
  fileprivate var waits = false
  /// The bytes of the pack.
  package fileprivate(set) var size: UInt64 = 0
  /// Whether so much is not needed that the pack is to be rewritten.
  fileprivate var isUnneeded = false

  /// What these bytes take in the pack.
  private func stored(_ bytes: UInt64) -> UInt64 { UInt64(Double(size) * Double(bytes) / Double(max(total, 1))) }

  /// Whether it is to be rewritten, because enough of it is not needed. A pack of versions waits until these are sorted
  /// anew. Copied blob by blob, what is needed of it would take more than all of it does.
  package var isSparse: Bool { isUnneeded && !(hasVersions && waits) }

  /// Whether it is a pack of versions, enough of which is not needed.
  package var hasUnneededVersions: Bool { isUnneeded && hasVersions }

  /// What is gained when its versions are put side by side, in bytes of the pack: at most.
  package var gain: UInt64 { isUnneeded ? size : stored(unsorted) }

  /// Whether it is to be rewritten when versions are put side by side: so many percent are not needed or would come
  /// elsewhere.
  package func isMixed(_ percent: UInt64) -> Bool {
    unsorted > 0 && (isUnneeded || (total - live + unsorted) * 100 >= total * percent)
  }
}

/// The second half of a collection that is spread over many saves.
package struct PieceSweep {
  private static let versionsPercent: UInt64 = 20

  private let store: Store

  package init(_ store: Store) {
    self.store = store
  }

  /// How much of a pack is needed, as its own table of contents says. `sparse`: the pack is to be
  /// rewritten when so many percent are not needed. `place`: where a blob belongs; nil when it is not needed.
  package func use(of pack: ObjectID, sparse percent: UInt64, _ place: (ObjectID) -> VersionPlace?) throws(StoreError)
    -> PackUse
  {
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
        use.live += UInt64(record.length)
        guard canSort, place.key != .none, Int(record.length) <= VersionBlocks.largestInPiece(block.kind) else {
          continue
        }
        if isSorted { use.sorted += UInt64(record.length) } else { use.unsorted += UInt64(record.length) }
      }
    }
    // To write versions anew takes long.
    let percent = use.hasVersions ? max(percent, PieceSweep.versionsPercent) : percent
    use.isUnneeded = use.live < use.total && (use.total - use.live) * 100 >= use.total * percent
    if use.isUnneeded { use.unsorted += use.sorted }
    use.waits = use.unsorted > 0 || !canSort
    return use
  }

  /// Removes packs of which nothing is needed.
  package func remove(_ packs: [ObjectID], holding lock: borrowing StoreLock<RemovesPacks>) throws(StoreError) {
    if packs.isEmpty { return }
    try lock.check()
    store.index.add([], since: store.index.packsModified(), replacing: Set(packs))
    try store.packs.remove(packs)
  }

  /// Copies what is needed of some packs into new ones and removes those of which everything was copied. The blobs of
  /// one that is too large for one call are copied in several. `trusted`: packs that earlier calls have written, and so
  /// have read back; a copy of a blob in any other pack is read before it counts. `limit`: so many bytes are copied at
  /// most. `mayGoOn`: asked often. Returns the packs that are gone, and the new ones.
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
    var reader = store.blobReader()
    var seen = BlobSet()
    var bytes: UInt64 = 0
    var done: [ObjectID] = []
    for pack in packs {
      let contents = try store.index.contents(of: pack).contents
      var blob = 0
      for block in contents.blocks {
        for _ in 0..<block.blobCount {
          let id = contents.blobs[blob].id
          blob += 1
          guard isNeeded(id), seen.insert(id) else { continue }
          // Something is copied in each call, so that it comes to an end.
          if bytes >= limit || (bytes > 0 && !mayGoOn()) { return done }
          // A copy that nobody has read back does not count. It is copied once more.
          if !copier.claim(id), try isElsewhere(id, trusted) { continue }
          // `read` checks the blob against its id. If it is damaged, nothing is removed.
          let content = try reader.read(id)
          bytes += UInt64(content.count)
          try copier.add(id, content, block.kind)
        }
      }
      done.append(pack)
    }
    return done
  }

  /// Whether one of these packs holds the blob for certain.
  func isElsewhere(_ id: ObjectID, _ packs: Set<ObjectID>) throws(StoreError) -> Bool {
    try store.index.knownPlaces(of: id).contains { place in
      packs.contains(store.index.packID(place.pack)) && store.index.hasCopy(id, at: place)
    }
  }
}
