// Packs as files in `packs/` of a folder on this machine.

package import MementoSystem

package struct LocalPacks: PackStorage {
  private let folder: StoreFolder

  package init(_ folder: StoreFolder) {
    self.folder = folder
  }

  package var parity: LocalParity? { LocalParity(folder) }

  package func modified() -> Timestamp? {
    // On an error the result is nil, which counts as a change.
    try? folder.packs.status().modified
  }

  package func list(withSizes: Bool) throws(StoreError) -> [ListedPack] {
    let listing = try onFile("read", "packs") { () throws(Errno) in
      try DirectoryListing(reading: try folder.root.open(StoreFolder.packsName, .directory))
    }
    return listing.withNames { names in
      var result: [ListedPack] = []
      result.reserveCapacity(names.count)
      for index in 0..<names.count {
        guard let id = PackName.id(fromFileName: names[index]) else { continue }
        var size: UInt64?
        // A pack that cannot be examined gets no size: nobody relies on it.
        if withSizes, let status = try? folder.packs.status(of: names.cString(index)), status.isRegular {
          size = status.size
        }
        result.append(ListedPack(id: id, size: size))
      }
      return result
    }
  }

  package func size(of pack: ObjectID) throws(StoreError) -> UInt64 {
    try openingPart("packs/\(pack.short)….pack", to: "read") { () throws(Errno) in
      let status = try folder.packs.status(of: PackName.fileName(pack))
      guard status.isRegular else { throw .invalid }
      return status.size
    }
  }

  package func open(_ pack: ObjectID) throws(StoreError) -> PackReader {
    // A caller needs this pack, so if it is missing, the store is damaged. After any other error it may still be there.
    try openingPart("packs/\(pack.short)….pack") { () throws(Errno) in
      let file = SharedDescriptor(try folder.packs.open(PackName.fileName(pack), .read))
      guard try file.descriptor.status().isRegular else { throw .invalid }
      return PackReader(file)
    }
  }

  package func put(_ file: consuming TemporaryFile, as pack: ObjectID, isFlushed: Bool) throws(StoreError) {
    let name = PackName.fileName(pack)
    // Something that is no file cannot be replaced by one.
    let existing = try onFile("write", "packs/\(pack.short)….pack") { () throws(Errno) in
      try folder.packs.statusIfPresent(of: name)
    }
    let isReplaced = existing?.isRegular ?? false
    if existing != nil, !isReplaced { try Quarantine(folder).move(name, from: folder.packs, "packs") }
    do throws(Errno) {
      if !isFlushed { try folder.beginUnsynced() }
      if isReplaced {
        // The pack of this name holds the same blobs in the same blocks, or is damaged. In the first case others may
        // rely on it: it goes when the new one is on the medium, even with --no-sync.
        try file.replace(name, in: folder.packs)
      } else {
        try file.place(as: name, in: folder.packs)
      }
      folder.relyOnPackNames()
    } catch {
      throw folder.failure(of: "write", "packs/\(pack.short)….pack", error)
    }
  }

  package func remove(_ packs: [ObjectID]) throws(StoreError) {
    if packs.isEmpty { return }
    // Parity first: parity without a pack means that a pack was lost.
    parity?.remove(packs)
    for pack in packs {
      try openingPart("packs/\(pack.short)….pack", to: "remove") { () throws(Errno) in
        do throws(Errno) {
          try folder.packs.removeFile(PackName.fileName(pack))
        } catch {
          if error != .notFound { throw error }
        }
      }
    }
    // A file system may give the blocks of a removed file to another one before the removal is on the medium (ext4 with
    // data=writeback does). After a power cut the name would be there again, with foreign bytes.
    guard folder.isDurable else { return }
    try onFile("flush", "packs") { () throws(Errno) in try folder.packs.flushDirectory() }
  }

  package func setAside(_ packs: [ObjectID]) throws(StoreError) {
    let aside = try Quarantine(folder)
    for pack in packs { try aside.move(PackName.fileName(pack), from: folder.packs, "packs") }
    try parity?.setAside(packs, in: aside)
  }

  package func relyOnNames() {
    folder.relyOnPackNames()
  }

  package func flush() throws(StoreError) {
    do throws(Errno) {
      try folder.settle()
      try folder.flushPackNames()
    } catch {
      throw folder.failure(of: "flush", "packs", error)
    }
  }

  package func endCommit() {
    folder.endUnsynced()
  }
}
