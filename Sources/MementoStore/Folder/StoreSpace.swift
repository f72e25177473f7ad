// How much space there is for a store, and what it takes beside its packs.

internal import MementoSystem

extension StoreFolder {
  /// Files that are neither packs nor the index, by the folders that hold them.
  private static let otherFolders = [cacheName, statesName, trashName, backupName, damagedName]

  /// The size in bytes of the disk that holds the store. Throws when the system does not say it.
  package func diskSize() throws(StoreError) -> UInt64 {
    try onFile("measure the disk of", ".") { () throws(Errno) in
      let size = try root.fileSystemSize()
      if size == 0 { throw .notSupported }
      return size
    }
  }

  /// The bytes that are free on that disk. Nil where that cannot be known; then a save finds a full disk when it writes.
  package func freeSpace() -> UInt64? {
    (try? root.freeSpace()) ?? nil
  }

  /// Bytes of the files of the store that are neither packs nor derived from them, as far as they can be looked at.
  package func bytesBesidePacks() -> UInt64 {
    var sum = (try? StoreFolder.bytes(in: root)) ?? 0  // the files that count are in packs/
    for name in StoreFolder.otherFolders {
      // Most of these folders are not there in most stores.
      guard let folder = try? root.open(name, .directory) else { continue }
      sum += (try? StoreFolder.bytes(in: folder)) ?? 0  // as above
    }
    return sum
  }

  /// Bytes of the parity of packs, as far as it can be looked at.
  package func parityBytes() -> UInt64 {
    guard let folder = try? root.open(StoreFolder.parityName, .directory) else { return 0 }  // most often there is none
    return (try? StoreFolder.bytes(in: folder)) ?? 0  // as above
  }

  private static func bytes(in folder: borrowing Descriptor) throws(Errno) -> UInt64 {
    // Opened anew: reading moves the position of a descriptor.
    let listing = try DirectoryListing(reading: folder.open(Array(".".utf8), .directory))
    var sum: UInt64 = 0
    for index in 0..<listing.count {
      guard let status = try folder.statusIfPresent(of: listing.name(at: index)), status.isRegular else { continue }
      sum += status.size
    }
    return sum
  }
}
