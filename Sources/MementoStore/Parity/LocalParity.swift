// Parity as files in `parity/` of a folder on this machine: `ID.par` belongs to the pack ID. All of it is derived: what
// is missing or damaged is made again from the packs. So nothing here is flushed.

internal import MementoSystem

package struct LocalParity: Sendable {
  private let folder: StoreFolder

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  private static func fileName(_ pack: ObjectID) -> [UInt8] {
    Array("\(pack).par".utf8)
  }

  private static func pack(fromFileName name: [UInt8]) -> ObjectID? {
    guard name.count == 68, name.suffix(4).elementsEqual(".par".utf8) else { return nil }
    return ObjectID(name.prefix(64))
  }

  /// The packs that have a file of parity. Throws when the folder cannot be listed.
  package func packs() throws(StoreError) -> Set<ObjectID> {
    try onFile("read", "parity") { () throws(Errno) in
      do throws(Errno) {
        let listing = try DirectoryListing(reading: folder.root.open(StoreFolder.parityName, .directory))
        return Set((0..<listing.count).compactMap { LocalParity.pack(fromFileName: listing.name(at: $0)) })
      } catch {
        if [.notFound, .notDirectory, .loop].contains(error) { return [] }
        throw error
      }
    }
  }

  /// Opens the parity of a pack. Nil when there is none, when it is damaged, or when it cannot be read: nothing can be
  /// healed then.
  func open(_ pack: ObjectID) -> ParityReader? {
    do throws(Errno) {
      let parity = try folder.root.open(StoreFolder.parityName, .directory)
      return try ParityReader(SharedDescriptor(parity.open(LocalParity.fileName(pack), .read)))
    } catch {
      return nil
    }
  }

  /// What a check of a file of parity has found.
  package enum Finding: Sendable {
    case intact
    case missing
    case damaged
  }

  /// Looks at the parity of a pack. `size`: that of the pack. `readingAll`: also reads every byte. Throws when it
  /// cannot be looked at.
  package func check(
    _ pack: ObjectID, size: UInt64, readingAll: Bool, isCancelled: () -> Bool
  ) throws(StoreError) -> Finding {
    do throws(Errno) {
      let parity = try folder.root.open(StoreFolder.parityName, .directory)
      guard let reader = try ParityReader(SharedDescriptor(parity.open(LocalParity.fileName(pack), .read))),
        reader.packSize == size
      else { return .damaged }
      if !readingAll { return .intact }
      return try reader.isIntact(isCancelled: isCancelled) ? .intact : .damaged
    } catch {
      switch error {
      case .notFound: return .missing
      case .notDirectory, .isDirectory, .loop, .invalid, .input, .noDevice: return .damaged
      default: throw .system(operation: "read", path: "parity/\(pack.short)….par", error)
      }
    }
  }

  /// Puts the parity of a pack in its place, and replaces what is there. The pack is whole without it, so an error is
  /// passed over: gc makes what is missing.
  func put(_ file: consuming TemporaryFile, of pack: ObjectID) {
    do throws(Errno) {
      let parity = try StoreFolder.openOrMake(StoreFolder.parityName, in: folder.root, durable: false)
      try file.place(as: LocalParity.fileName(pack), in: parity)
    } catch {
      // As above.
    }
  }

  /// Moves the parity of packs to `damaged/`, where the packs are.
  func setAside(_ packs: [ObjectID], in quarantine: borrowing Quarantine) throws(StoreError) {
    let parity: SharedDescriptor
    do throws(Errno) { parity = SharedDescriptor(try folder.root.open(StoreFolder.parityName, .directory)) } catch {
      // There is none. If it is only out of reach, the next gc removes it.
      return
    }
    for pack in packs {
      let name = LocalParity.fileName(pack)
      let isThere = try onFile("read", "parity") { () throws(Errno) in
        try parity.descriptor.statusIfPresent(of: name) != nil
      }
      if isThere { try quarantine.move(name, from: parity.descriptor, "parity") }
    }
  }

  /// Removes the parity of packs, as far as it can be removed. What stays is removed by the next gc.
  package func remove(_ packs: some Sequence<ObjectID>) {
    do throws(Errno) {
      let parity = try folder.root.open(StoreFolder.parityName, .directory)
      for pack in packs { parity.removeUnneeded(LocalParity.fileName(pack)) }
    } catch {
      // As above.
    }
  }
}
