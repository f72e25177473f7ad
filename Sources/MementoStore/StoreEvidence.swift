// What a folder holds of a store. A store is made only where nothing of one is: an empty `refs` over what was saved would
// lose all names.

package import MementoSystem

package enum StoreEvidence: Sendable {
  /// Nothing, or what a creation has left that was killed: nothing can have been saved.
  case nothing
  /// `config` is there.
  case store
  /// There was a store: parts of it are left, and `config` is not.
  case parts

  /// Looks without a lock. Throws when it could not look.
  package static func look(in root: borrowing Descriptor) throws(StoreError) -> StoreEvidence {
    if try isThere(StoreFolder.configName, in: root) { return .store }
    guard try hasParts(root) else { return .nothing }
    // Everything else comes after `config`: when another process was making the store just now, it is there by now.
    return try isThere(StoreFolder.configName, in: root) ? .store : .parts
  }

  private static func hasParts(_ root: borrowing Descriptor) throws(StoreError) -> Bool {
    for name in [
      StoreFolder.previousRefsName, StoreFolder.journalName, StoreFolder.statesName, StoreFolder.backupName,
      StoreFolder.damagedName, Array("rescue".utf8),
    ] where try isThere(name, in: root) { return true }
    if try hasPacks(root) { return true }
    return try hasRefs(root)
  }

  private static func isThere(_ name: [UInt8], in root: borrowing Descriptor) throws(StoreError) -> Bool {
    try onFile("read", String(decoding: name, as: UTF8.self)) { () throws(Errno) in
      do throws(Errno) {
        _ = try root.status(of: name)
        return true
      } catch {
        if error == .notFound { return false }
        throw error
      }
    }
  }

  /// Whether `packs` is anything but an empty folder.
  private static func hasPacks(_ root: borrowing Descriptor) throws(StoreError) -> Bool {
    try onFile("read", "packs") { () throws(Errno) in
      do throws(Errno) {
        return try DirectoryListing(reading: root.open(StoreFolder.packsName, .directory)).count > 0
      } catch {
        switch error {
        case .notFound: return false
        case .notDirectory, .loop: return true
        default: throw error
        }
      }
    }
  }

  /// Whether `refs` is anything but the one that a new store begins with.
  private static func hasRefs(_ root: borrowing Descriptor) throws(StoreError) -> Bool {
    do throws(StoreError) {
      let bytes = try openingPart("refs") { () throws(Errno) in
        do throws(Errno) {
          return try root.contents(of: StoreFolder.refsName)
        } catch {
          throw error == .rangeError ? .invalid : error
        }
      }
      guard let bytes else { return false }
      return try RefsCodec.decode(bytes) { (id) throws(StoreError) in throw .missing(id) } != Refs()
    } catch {
      guard error.isDamage || error.isNewer else { throw error }
      return true
    }
  }
}
