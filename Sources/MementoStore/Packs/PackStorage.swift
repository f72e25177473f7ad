// The interface to the place where packs are kept: a folder, memory, or another machine. Code above it knows nothing
// about the files of packs.

package import MementoSystem

/// A pack in a listing.
package struct ListedPack: Sendable {
  package let id: ObjectID
  /// The size in bytes. Nil when the caller did not ask for sizes, or when the pack could not be examined.
  package let size: UInt64?

  package init(id: ObjectID, size: UInt64?) {
    self.id = id
    self.size = size
  }
}

/// Keeps packs. A pack never changes: it is put as a whole under the name that its content gives it, read in ranges,
/// and removed as a whole. Several threads may call all methods at the same time.
package protocol PackStorage: Sendable {
  /// When a pack was last added or removed. Nil when that cannot be determined, which counts as a change.
  func modified() -> Timestamp?

  /// All packs that are there now. `withSizes`: with their sizes, where the packs can be examined.
  func list(withSizes: Bool) throws(StoreError) -> [ListedPack]

  /// The size of a pack in bytes. Throws when there is no such pack or it cannot be examined.
  func size(of pack: ObjectID) throws(StoreError) -> UInt64

  /// Opens a pack for reading. Throws `.damaged` when there is no such pack, since the caller needs it.
  func open(_ pack: ObjectID) throws(StoreError) -> PackReader

  /// Makes a complete pack visible under its name, and replaces a pack of that name. `isFlushed`: whether the file is
  /// on the medium already, even with `--no-sync`.
  func put(_ file: consuming TemporaryFile, as pack: ObjectID, isFlushed: Bool) throws(StoreError)

  /// Removes packs, durably. Packs that are not there are skipped.
  func remove(_ packs: [ObjectID]) throws(StoreError)

  /// Removes damaged packs from the listing but keeps their bytes elsewhere.
  func setAside(_ packs: [ObjectID]) throws(StoreError)

  /// Where the parity of the packs is. Nil when nothing is known of parity in this storage.
  var parity: LocalParity? { get }

  /// Notes that the caller is going to rely on packs that are there, so the next `flush` must cover those of other
  /// processes too.
  func relyOnNames()

  /// Makes durable all packs that were put or relied upon, except with `--no-sync`.
  func flush() throws(StoreError)

  /// Ends the use of the packs that were put: `refs` name them now, or none will name them.
  func endCommit()
}

/// A storage elsewhere: it reads a pack once, when it is put.
package protocol DistantPackStorage: PackStorage {
  /// Puts a pack as `PackStorage.put` does. `borrowed`: its parts that are in the files of other packs.
  func put(_ file: consuming TemporaryFile, borrowing borrowed: BorrowedBytes, as pack: ObjectID) throws(StoreError)
}

extension DistantPackStorage {
  package func put(_ file: consuming TemporaryFile, as pack: ObjectID, isFlushed: Bool) throws(StoreError) {
    try put(file, borrowing: BorrowedBytes(), as: pack)
  }
}

extension PackStorage {
  package var parity: LocalParity? { nil }

  package func relyOnNames() {}

  package func endCommit() {}

  /// The names of all packs that are there now. Throws when they cannot be listed.
  func names() throws(StoreError) -> [ObjectID] {
    try list(withSizes: false).map(\.id)
  }
}
