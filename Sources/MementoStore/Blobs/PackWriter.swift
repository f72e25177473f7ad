// The writing side of the store: knows which blobs the store has already, and puts the others into packs. All workers
// of one save share it. What it writes is visible after `finish`; of a long save, whole packs are before, so that one that
// is killed leaves them to the next.

internal import MementoSystem
internal import Synchronization

package final class PackWriter: Sendable {
  private struct State: Sendable {
    var claimed = BlobSet()
    /// The last one is the one that grows.
    var packs: [GrowingPack] = []
    var added: UInt64 = 0
    /// When `packs/` had last changed before the first of these packs came; nil before that.
    var before: Timestamp??
  }

  /// A pack, and who is at work on it.
  private struct GrowingPack: Sendable {
    let pack: OpenPack
    /// Workers that write a block into it.
    var writers = 0
    /// Another one has taken its place.
    var isFull = false
    /// Somebody has begun to make it visible.
    var isTaken = false
    /// What it holds, once it is visible.
    var contents: PackContents?
  }

  /// When a pack has grown to this many bytes, the writer begins another one.
  private static let packLimit: UInt64 = 4 << 30
  /// What `checkpoint` is for whatever may take long: a pack of this size takes some seconds at least.
  package static let checkpointOfSaves: UInt64 = 1 << 30
  /// A later pack is visible when it has this part of all that was written, so that a save of terabytes makes no
  /// thousands of packs.
  private static let checkpointShare: UInt64 = 8

  private let folder: StoreFolder
  private let storage: any PackStorage
  private let index: Index
  private let state = Mutex(State())

  private let leaving: Set<ObjectID>
  private let share: ParityShare
  /// The size at which a pack becomes visible before the end; nil makes none visible before.
  private let checkpoint: UInt64?

  init(
    folder: StoreFolder, storage: any PackStorage, index: Index, parity share: ParityShare,
    ignoring leaving: Set<ObjectID>, checkpoint: UInt64?
  ) {
    self.leaving = leaving
    self.checkpoint = checkpoint
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

  /// Appends a block. `origin`: where these very bytes are, too.
  func append(
    _ kind: BlockKind, _ codec: Codec, _ arrangement: Arrangement, rawLength: Int, _ stored: UnsafeRawBufferPointer,
    blobs: [BlobRecord], origin: BlockOrigin? = nil
  ) throws(StoreError) {
    let (place, pack, full) = try reserve(UInt64(stored.count))
    if let full { try show(full) }
    let numbered = state.withLock { state in
      blobs.map { NumberedBlob(number: UInt32(state.claimed.number(inserting: $0.id)), length: $0.length) }
    }
    try pack.append(kind, codec, arrangement, rawLength: rawLength, stored, blobs: numbered, origin: origin)
    if let full = state.withLock({ state in
      state.packs[place].writers -= 1
      return takeFull(&state)
    }) {
      try show(full)
    }
  }

  /// The pack that takes a block of this size, which counts the caller as one of its writers, and a pack that is full now.
  private func reserve(
    _ count: UInt64
  ) throws(StoreError) -> (place: Int, pack: OpenPack, full: (place: Int, pack: OpenPack)?) {
    let result = state.withLock { state -> Result<(Int, OpenPack, (place: Int, pack: OpenPack)?), StoreError> in
      let limit = min(
        checkpoint.map { max($0, state.added / PackWriter.checkpointShare) } ?? .max, PackWriter.packLimit)
      state.added += count
      return Result { () throws(StoreError) in
        if state.packs.last.map({ $0.pack.size >= limit }) ?? true {
          let pack = try OpenPack(in: folder, for: storage, parity: share)
          if !state.packs.isEmpty { state.packs[state.packs.count - 1].isFull = true }
          state.packs.append(GrowingPack(pack: pack))
        }
        let place = state.packs.count - 1
        state.packs[place].writers += 1
        return (place, state.packs[place].pack, takeFull(&state))
      }
    }
    return try result.get()
  }

  // MARK: Packs that are visible before the end

  /// A full pack that nobody writes into any more, which the caller makes visible.
  private func takeFull(_ state: inout State) -> (place: Int, pack: OpenPack)? {
    guard checkpoint != nil,
      let place = state.packs.firstIndex(where: { $0.isFull && !$0.isTaken && $0.writers == 0 })
    else { return nil }
    state.packs[place].isTaken = true
    return (place, state.packs[place].pack)
  }

  /// Makes a full pack durable and visible. The index hears of it with the others.
  private func show(_ full: (place: Int, pack: OpenPack)) throws(StoreError) {
    let ids = state.withLock { state in
      if state.before == nil { state.before = .some(index.packsModified()) }
      return state.claimed.ids
    }
    let contents = try full.pack.finish(ids)
    state.withLock { $0.packs[full.place].contents = contents }
  }

  /// Returns a view of the trees and lists written so far. All workers must have flushed their blocks.
  package func pendingObjects() -> PendingObjects {
    let (packs, ids) = state.withLock { ($0.packs.map(\.pack), $0.claimed.ids) }
    return PendingObjects(packs, ids)
  }

  // MARK: The end

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
    let (packs, ids, known) = takePacks()
    if packs.isEmpty {
      // This save added no pack, but it may rely on packs of other processes.
      if durably { try flushNames() }
      return []
    }
    let before = known ?? index.packsModified()
    var finished: [PackContents] = []
    do throws(StoreError) {
      for growing in packs {
        if let contents = growing.contents {
          finished.append(contents)
        } else {
          finished.append(try growing.pack.finish(ids, readingBack: readingBack))
        }
      }
    } catch {
      for pack in packs { pack.pack.discard() }
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

  /// Removes the unfinished packs. Of packs that were visible before, the blobs stay until gc, for a save that comes next.
  package func discard() {
    for pack in takePacks().packs { pack.pack.discard() }
  }

  /// Returns all packs and the ids of their blobs by number, and leaves the writer empty.
  private func takePacks() -> (packs: [GrowingPack], ids: NumberedIDs, before: Timestamp??) {
    state.withLock { state in
      let packs = state.packs
      let before = state.before
      state.packs = []
      state.before = nil
      let ids = state.claimed.ids
      state.claimed = BlobSet()
      return (packs, ids, before)
    }
  }
}
