// Copies every readable blob of damaged packs into new packs, and moves the damaged packs to `damaged/`. Nothing is
// removed.

internal import MementoSystem

/// The rescue of damaged packs.
package struct Salvage {
  private let store: Store
  private let isCancelled: @Sendable () -> Bool

  /// `isCancelled`: called before each blob. When it returns true, the work ends with `.cancelled`, and nothing is
  /// lost.
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

  /// The bytes of a blob; nil when it is lost. A read that finds damage is tried once more, since a medium may fail
  /// only once. An error that is not damage, such as a lack of memory, is thrown and ends the repair.
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

  /// Moves packs to `damaged/`. All their readable blobs are durable in other packs already. Throws, before it has
  /// moved any, when the lock is lost or the medium returns nothing of one of them.
  package func setAside(
    _ packs: Set<ObjectID>, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    // Another file may have the name of one of these packs now.
    store.closePacks()
    if packs.isEmpty { return }
    try lock.check()
    for pack in packs { try checkMedium(of: pack) }
    try store.packs.setAside(packs.sorted())
  }

  /// Throws when the medium returns nothing of a pack: it may then have returned nothing of others either, and blobs
  /// that were not copied may be whole. If only some sectors are lost, the end of the pack can still be read; so can a
  /// pack that was overwritten.
  private func checkMedium(of pack: ObjectID) throws(StoreError) {
    do throws(StoreError) {
      _ = try store.index.contents(of: pack)
    } catch .system(let operation, let path, let errno) {
      throw .system(operation: operation, path: path, errno)
    } catch {
      // The medium returned bytes, and they are not those that were written.
    }
  }
}
