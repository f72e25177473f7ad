// Finds out what a folder has of a store. A store is made only where there is nothing of one: an empty `refs` over
// saved states would lose all names.

package import MementoSystem

/// What a folder has of a store.
package enum StoreEvidence: Sendable {
  /// Nothing, or the rest of a creation that was killed. Nothing can have been saved there.
  case nothing
  /// `config` is there.
  case store
  /// Parts of a store are there, but not `config`.
  case parts

  /// Looks without a lock. Throws when it could not look.
  package static func look(in root: borrowing Descriptor) throws(StoreError) -> StoreEvidence {
    if try isThere(StoreFolder.configName, in: root) { return .store }
    guard try hasParts(root) else { return .nothing }
    // When a store is made, these parts come after `config`. If another process has just made one, `config` is there by
    // now.
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

  /// Whether `packs` is anything other than an empty folder.
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

  /// Whether `refs` is anything other than the first `refs` of a new store.
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
