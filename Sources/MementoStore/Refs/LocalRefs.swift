// `refs` as a file in a folder on this machine. `refs.lock` keeps other processes out between reading and renaming.

package import MementoSystem

package struct LocalRefs: RefsStorage {
  let folder: StoreFolder
  /// The largest `refs` in bytes: 10 million states.
  static let sizeLimit = 1 << 30

  package init(_ folder: StoreFolder) {
    self.folder = folder
  }

  package func read(ifOtherThan known: RefsVersion?) throws(StoreError) -> StoredRefs? {
    let file = try openingPart("refs") { () throws(Errno) -> SharedDescriptor in
      let file = try folder.root.open(StoreFolder.refsName, .read)
      guard try file.status().isRegular else { throw .invalid }
      return SharedDescriptor(file)
    }
    let head = try onFile("read", "refs") { () throws(Errno) in
      try file.descriptor.bytes(at: 0, count: RefsCodec.headLength)
    }
    // The head holds the checksum of the rest, so files with the same head are equal.
    if RefsVersion(head) == known { return nil }
    let bytes = try onFile("read", "refs") { () throws(Errno) in
      try file.descriptor.contents(limit: LocalRefs.sizeLimit)
    }
    return StoredRefs(bytes: bytes, version: LocalRefs.version(bytes))
  }

  static func version(_ bytes: [UInt8]) -> RefsVersion {
    RefsVersion(Array(bytes.prefix(RefsCodec.headLength)))
  }

  /// To be called inside `exclusively`: nobody can replace that version while the lock is held, so it is not compared.
  package func replace(
    _ version: RefsVersion?, with bytes: [UInt8], holding turn: borrowing RefsTurn,
    beforeCommit: () throws(StoreError) -> Void
  ) throws(StoreError) -> RefsVersion? {
    let file = try onFile("write", "refs") { () throws(Errno) in
      do throws(Errno) {
        return try writeAside(bytes)
      } catch {
        // On a full disk, remove the index and the cache to make room. Otherwise the user could not even delete states
        // to free space.
        guard error.isNoSpace else { throw error }
        folder.dropDerived()
        return try writeAside(bytes)
      }
    }
    try beforeCommit()
    do throws(Errno) {
      try folder.beginUnsynced()
      try commit(file, keepingOld: version != nil)
    } catch {
      throw folder.failure(of: "write", "refs", error)
    }
    folder.endUnsynced()
    return LocalRefs.version(bytes)
  }

  private func writeAside(_ bytes: [UInt8]) throws(Errno) -> TemporaryFile {
    let file = try folder.makeTemporary("refs")
    try file.write(bytes)
    if folder.isDurable { try file.flush() }
    return file
  }

  private func commit(_ file: consuming TemporaryFile, keepingOld: Bool) throws(Errno) {
    // A second copy for repairs. When it cannot be kept, the change goes on: `refs` itself is whole.
    if keepingOld { try? keepPrevious() }
    try file.place(as: StoreFolder.refsName, in: folder.root)
    if folder.isDurable { try folder.root.flushDirectory() }
  }

  private func keepPrevious() throws(Errno) {
    do throws(Errno) {
      try folder.root.removeFile(StoreFolder.previousRefsName)
    } catch {
      if error != .notFound { throw error }
    }
    try folder.root.link(StoreFolder.refsName, to: StoreFolder.previousRefsName, in: folder.root)
  }

  package func exclusively<Result>(
    waiting wait: LockWait, _ body: (borrowing RefsTurn) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try body(RefsTurn(lockFile(StoreFolder.refsLockName, in: folder.root, .exclusive, waiting: wait)))
  }
}
