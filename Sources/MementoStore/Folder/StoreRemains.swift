// What lies in the folders of a store that no command relies on. It is looked at before something is said to be gone, so
// unlike elsewhere no error is passed over here.

internal import MementoSystem

extension StoreFolder {
  /// The names in a folder of the store; none when there is no such folder.
  package func names(in folderName: [UInt8]) throws(StoreError) -> [[UInt8]] {
    try onFolder("read", String(decoding: folderName, as: UTF8.self)) { () throws(Errno) in
      guard try root.statusIfPresent(of: folderName) != nil else { return [] }
      let listing = try DirectoryListing(reading: root.open(folderName, .directory))
      return (0..<listing.count).map { listing.name(at: $0) }
    }
  }

  /// Removes files from a folder of the store. Throws when one cannot be removed.
  package func remove(
    from folderName: [UInt8], where isWanted: ([UInt8]) -> Bool
  ) throws(StoreError) {
    let names = try names(in: folderName).filter(isWanted)
    if names.isEmpty { return }
    try onFolder("remove", String(decoding: folderName, as: UTF8.self)) { () throws(Errno) in
      let folder = try root.open(folderName, .directory)
      for name in names {
        do throws(Errno) {
          try folder.removeFile(name)
        } catch {
          if error != .notFound { throw error }
        }
      }
    }
  }

  /// The bytes of a file in a folder of the store. Nil when it is no file, has more than `limit` bytes or cannot be read.
  package func contents(of name: [UInt8], in folderName: [UInt8], limit: Int) -> [UInt8]? {
    do throws(Errno) {
      return try root.open(folderName, .directory).contents(of: name, limit: limit)
    } catch {
      return nil
    }
  }

  /// Returns when everything that was written or removed in the store is so on the medium.
  package func flushAll() throws(StoreError) {
    try onFile("flush", "the store") { () throws(Errno) in try root.flushFileSystem() }
  }
}
