// The writing side of the store: knows which blobs are there already, and puts the others into packs. Shared by all
// workers of one save; nothing it writes is visible before `finish`.

internal import MementoSystem
internal import Synchronization

package final class PackWriter: Sendable {
  private struct State: Sendable {
    var claimed = BlobSet()
    var pack: OpenPack?
    var full: [OpenPack] = []
    var added: UInt64 = 0
  }

  /// A pack that has grown past this many bytes is left, and another begun.
  private static let packLimit: UInt64 = 4 << 30

  private let folder: StoreFolder
  private let storage: any PackStorage
  private let index: Index
  private let state = Mutex(State())

  private let leaving: Set<ObjectID>

  init(folder: StoreFolder, storage: any PackStorage, index: Index, ignoring leaving: Set<ObjectID>) {
    self.leaving = leaving
    self.folder = folder
    self.storage = storage
    self.index = index
    // What another process has just stored counts as stored.
    storage.relyOnNames()
  }

  /// True when the blob is in no pack yet and nobody else has claimed it: then the caller must store it.
  package func claim(_ id: ObjectID) -> Bool {
    let isNew = state.withLock { $0.claimed.insert(id) }
    return isNew && !index.holdsSafely(id, ignoring: leaving)
  }

  /// Whether the blob is in the store or on its way.
  package func contains(_ id: ObjectID) -> Bool {
    state.withLock { $0.claimed.contains(id) } || index.holdsSafely(id, ignoring: leaving)
  }

  /// Bytes written into packs so far.
  package var bytesStored: UInt64 { state.withLock { $0.added } }

  func append(
    _ kind: BlockKind, _ codec: Codec, rawLength: Int, _ stored: UnsafeRawBufferPointer,
    blobs: [BlobRecord]
  ) throws(StoreError) {
    let pack = try pack(adding: UInt64(stored.count))
    let numbered = state.withLock { state in
      blobs.map { NumberedBlob(number: UInt32(state.claimed.number(inserting: $0.id)), length: $0.length) }
    }
    try pack.append(kind, codec, rawLength: rawLength, stored, blobs: numbered)
  }

  private func pack(adding count: UInt64) throws(StoreError) -> OpenPack {
    let result = state.withLock { state -> Result<OpenPack, StoreError> in
      state.added += count
      if let pack = state.pack, pack.size < PackWriter.packLimit { return .success(pack) }
      return Result { () throws(StoreError) in
        let pack = try OpenPack(in: folder, for: storage)
        if let old = state.pack { state.full.append(old) }
        state.pack = pack
        return pack
      }
    }
    return try result.get()
  }

  /// Trees and lists that were written so far; all workers have flushed their blocks.
  package func pendingObjects() -> PendingObjects {
    let (packs, ids) = state.withLock { ($0.full + ($0.pack.map { [$0] } ?? []), $0.claimed) }
    return PendingObjects(packs, ids)
  }

  /// Makes everything durable, then visible, then enters it into the derived index. All workers have finished their blocks.
  /// The names of the packs are durable before the next change of `refs`; `forGood`: at once, since none follows. On failure
  /// nothing is visible that was not durable. `readingBack`: nor that could not be read again from the medium, byte for byte:
  /// other packs are going to be removed because of these. Returns the names of the packs; one may be that of a pack that was there,
  /// whose place it has taken.
  @discardableResult
  package func finish(forGood: Bool = false, readingBack: Bool = false) throws(StoreError) -> Set<ObjectID> {
    let (packs, ids) = takePacks()
    if packs.isEmpty {
      // What others have stored and this one relies on.
      if forGood { try flushNames() }
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
    // Before the index, which for a damaged pack may be all that is left: its old tables go now.
    if forGood { try flushNames() }
    index.add(finished, since: before)
    return Set(finished.map(\.id))
  }

  /// What others have left without flushing it counts as stored, too.
  private func flushNames() throws(StoreError) {
    try storage.flush()
    storage.endCommit()
  }

  /// Removes what was written; the store is as it was.
  package func discard() {
    for pack in takePacks().packs { pack.discard() }
  }

  /// `ids`: what the numbers of the packs' blobs mean.
  private func takePacks() -> (packs: [OpenPack], ids: BlobSet) {
    state.withLock { state in
      let packs = state.full + (state.pack.map { [$0] } ?? [])
      state.full = []
      state.pack = nil
      let ids = state.claimed
      state.claimed = BlobSet()
      return (packs, ids)
    }
  }
}
