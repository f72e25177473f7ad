// Takes over what can still be read of damaged packs, and puts these out of the way. Nothing is thrown away.

internal import MementoSystem

package struct Salvage {
  private let store: Store
  private let isCancelled: @Sendable () -> Bool

  /// `isCancelled`: asked again and again; true ends the work with `.cancelled`, and nothing is lost by it.
  package init(_ store: Store, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.store = store
    self.isCancelled = isCancelled
  }

  /// Copies all that can be read of these packs into new ones, durably, and returns the names of those.
  package func copy(
    _ damaged: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> Set<ObjectID> {
    var copier = try BlobCopier(store, replacing: damaged)
    do throws(StoreError) {
      var reader = store.blobReader()
      for pack in damaged.sorted() {
        for (id, place) in try store.index.rows(of: pack) where copier.claim(id) {
          if isCancelled() { throw .cancelled }
          if let bytes = try read(id, &reader) { try copier.add(id, bytes, place.block.kind) }
        }
      }
      return try copier.finish()
    } catch {
      copier.discard()
      throw error
    }
  }

  /// Nil when the blob is lost. What the machine refuses only now, such as memory, ends the repair instead; and a medium
  /// that cannot be read is asked twice.
  private func read(_ id: ObjectID, _ reader: inout BlobReader) throws(StoreError) -> [UInt8]? {
    for _ in 1...2 {
      do throws(StoreError) {
        return try reader.read(id)
      } catch {
        guard error.isDamage else { throw error }
      }
    }
    return nil
  }

  /// Takes packs out of the store and keeps them aside, in `damaged/` of a folder. All that is needed of them is durable
  /// elsewhere, as far as it can be had.
  package func setAside(
    _ packs: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    // Another file may have got the name of one of them.
    store.closePacks()
    if packs.isEmpty { return }
    try lock.check()
    for pack in packs { try checkMedium(of: pack) }
    try store.packs.setAside(packs.sorted())
  }

  /// Throws when the medium gives nothing of a pack: then it may have given nothing of any other either, and what was not
  /// copied may be whole. A pack of which some sectors are lost can still be read at its end, and one that was
  /// overwritten can be read as well.
  private func checkMedium(of pack: ObjectID) throws(StoreError) {
    do throws(StoreError) {
      _ = try store.index.contents(of: pack)
    } catch .system(let operation, let path, let errno) {
      throw .system(operation: operation, path: path, errno)
    } catch {
      // Its bytes were read, and are not those that were written.
    }
  }
}
