// Where packs are kept: the seam below which a store may be a folder, memory, or another machine. What is above it knows no
// files of packs.

package import MementoSystem

/// A pack as a listing names it.
package struct ListedPack: Sendable {
  package let id: ObjectID
  /// Bytes; nil when it was not asked for, or when the pack could not be looked at.
  package let size: UInt64?

  package init(id: ObjectID, size: UInt64?) {
    self.id = id
    self.size = size
  }
}

/// Packs never change: each is put as a whole under the name that its content gives it, read in ranges, and removed as a
/// whole. All methods may be called by several threads at once.
package protocol PackStorage: Sendable {
  /// When a pack was last added or removed; nil when that cannot be told, which counts as a change.
  func modified() -> Timestamp?

  /// All packs that are there now. `withSizes`: their sizes, too, where the packs can be looked at.
  func list(withSizes: Bool) throws(StoreError) -> [ListedPack]

  /// The size of a pack in bytes. Throws when there is no such pack, or when it cannot be looked at.
  func size(of pack: ObjectID) throws(StoreError) -> UInt64

  /// Opens a pack for reading. Throws `.damaged` when there is no such pack: something needs it.
  func open(_ pack: ObjectID) throws(StoreError) -> PackReader

  /// Makes a complete pack visible under its name, in place of one that may be there. `isFlushed`: the file is on the medium
  /// already, whatever the user has asked for.
  func put(_ file: consuming TemporaryFile, as pack: ObjectID, isFlushed: Bool) throws(StoreError)

  /// Removes packs, durably. Those that are not there are passed over.
  func remove(_ packs: [ObjectID]) throws(StoreError)

  /// Takes damaged packs out of the listing and keeps their bytes elsewhere.
  func setAside(_ packs: [ObjectID]) throws(StoreError)

  /// Packs that are there are going to be relied upon: the next `flush` covers those of others, too.
  func relyOnNames()

  /// Returns when all packs that were put or relied upon are durable.
  func flush() throws(StoreError)

  /// The packs that were put are complete: `refs` name them, or none do and none follow.
  func endCommit()
}

extension PackStorage {
  package func relyOnNames() {}

  package func endCommit() {}

  /// The names of all packs that are there now.
  func names() throws(StoreError) -> [ObjectID] {
    try list(withSizes: false).map(\.id)
  }
}
