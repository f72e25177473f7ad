// The writing side of the store: knows which blobs the store has already, and puts the others into packs. All workers
// of one save share it. Nothing that it writes is visible before `finish`.

internal import MementoSystem
internal import Synchronization

package final class PackWriter: Sendable {
  private struct State: Sendable {
    var claimed = BlobSet()
    var pack: OpenPack?
    var full: [OpenPack] = []
    var added: UInt64 = 0
  }

  /// When a pack has grown to this many bytes, the writer begins another one.
  private static let packLimit: UInt64 = 4 << 30

  private let folder: StoreFolder
  private let storage: any PackStorage
  private let index: Index
  private let state = Mutex(State())

  private let leaving: Set<ObjectID>
  private let share: ParityShare

  init(
    folder: StoreFolder, storage: any PackStorage, index: Index, parity share: ParityShare,
    ignoring leaving: Set<ObjectID>
  ) {
    self.leaving = leaving
    self.share = share
    self.folder = folder
    self.storage = storage
    self.index = index
    // The save may rely on packs that other processes have just put in place. Their names may not be durable yet: the
    // next flush must cover them.
    storage.relyOnNames()
  }

  /// Claims a blob for the caller. Returns true when no pack holds it and no other worker has claimed it: the caller
  /// must then store it.
  package func claim(_ id: ObjectID) -> Bool {
    let isNew = state.withLock { $0.claimed.insert(id) }
    return isNew && !index.hasIntactCopy(id, ignoring: leaving)
  }

  /// Whether a pack holds the blob or a worker has claimed it.
  package func contains(_ id: ObjectID) -> Bool {
    state.withLock { $0.claimed.contains(id) } || index.hasIntactCopy(id, ignoring: leaving)
  }

  /// Bytes of compressed blocks written so far.
  package var bytesStored: UInt64 { state.withLock { $0.added } }

  func append(
    _ kind: BlockKind, _ codec: Codec, _ arrangement: Arrangement, rawLength: Int, _ stored: UnsafeRawBufferPointer,
    blobs: [BlobRecord]
  ) throws(StoreError) {
    let pack = try pack(adding: UInt64(stored.count))
    let numbered = state.withLock { state in
      blobs.map { NumberedBlob(number: UInt32(state.claimed.number(inserting: $0.id)), length: $0.length) }
    }
    try pack.append(kind, codec, arrangement, rawLength: rawLength, stored, blobs: numbered)
  }

  private func pack(adding count: UInt64) throws(StoreError) -> OpenPack {
    let result = state.withLock { state -> Result<OpenPack, StoreError> in
      state.added += count
      if let pack = state.pack, pack.size < PackWriter.packLimit { return .success(pack) }
      return Result { () throws(StoreError) in
        let pack = try OpenPack(in: folder, for: storage, parity: share)
        if let old = state.pack { state.full.append(old) }
        state.pack = pack
        return pack
      }
    }
    return try result.get()
  }

  /// Returns a view of the trees and lists written so far. All workers must have flushed their blocks.
  package func pendingObjects() -> PendingObjects {
    let (packs, ids) = state.withLock { ($0.full + ($0.pack.map { [$0] } ?? []), $0.claimed.ids) }
    return PendingObjects(packs, ids)
  }

  /// Makes all packs durable, then visible, then enters them into the index. All workers must have flushed their
  /// blocks.
  ///
  /// The names of the packs become durable before the next change of `refs`, or at once with `durably`, for a caller
  /// that does not change `refs` afterwards. With `readingBack`, each pack is read back from the medium and checked
  /// before it is visible: the caller is going to remove other packs because of it. `replacing`: packs that the caller is
  /// going to remove whatever happens, since the new ones hold all that they hold; the index forgets them.
  ///
  /// Returns the names of the packs. If a pack of the same name was there already, the new file has replaced it. When
  /// this throws, some packs may be visible already, but only packs that were flushed first (unless the user gave
  /// `--no-sync`).
  @discardableResult
  package func finish(
    durably: Bool = false, readingBack: Bool = false, replacing: Set<ObjectID> = []
  ) throws(StoreError) -> Set<ObjectID> {
    let (packs, ids) = takePacks()
    if packs.isEmpty {
      // This save added no pack, but it may rely on packs of other processes.
      if durably { try flushNames() }
      return []
    }
    let before = index.packsModified()
    var finished: [PackContents] = []
    do throws(StoreError) {
      for pack in packs { finished.append(try pack.finish(ids, readingBack: readingBack)) }
    } catch {
      for pack in packs { pack.discard() }
      throw error
    }
    // Flush first: `index.add` removes the old tables, and for a damaged pack these may be the only list of its blobs.
    if durably { try flushNames() }
    index.add(finished, since: before, replacing: replacing)
    return Set(finished.map(\.id))
  }

  /// Also flushes packs that other processes put there with `--no-sync`: this save relies on them.
  private func flushNames() throws(StoreError) {
    try storage.flush()
    storage.endCommit()
  }

  /// Removes the unfinished packs. The store is as it was before.
  package func discard() {
    for pack in takePacks().packs { pack.discard() }
  }

  /// Returns all packs and the ids of their blobs by number, and leaves the writer empty.
  private func takePacks() -> (packs: [OpenPack], ids: NumberedIDs) {
    state.withLock { state in
      let packs = state.full + (state.pack.map { [$0] } ?? [])
      state.full = []
      state.pack = nil
      let ids = state.claimed.ids
      state.claimed = BlobSet()
      return (packs, ids)
    }
  }
}
