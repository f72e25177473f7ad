// `refs` as a file of a folder on this machine. `refs.lock` keeps others out between reading and renaming.

package import MementoSystem

package struct LocalRefs: RefsStorage {
  private let folder: StoreFolder
  /// A file of 10 million states.
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
    // The head holds the checksum of all that follows: the same head is the same file.
    if RefsVersion(head) == known { return nil }
    let bytes = try onFile("read", "refs") { () throws(Errno) in
      try file.descriptor.contents(limit: LocalRefs.sizeLimit)
    }
    return StoredRefs(bytes: bytes, version: LocalRefs.version(bytes))
  }

  private static func version(_ bytes: [UInt8]) -> RefsVersion {
    RefsVersion(Array(bytes.prefix(RefsCodec.headLength)))
  }

  /// A version stands as long as the lock is held.
  package func replace(
    _ version: RefsVersion?, with bytes: [UInt8], holding turn: borrowing RefsTurn,
    beforeCommit: () throws(StoreError) -> Void
  ) throws(StoreError) -> RefsVersion? {
    let file = try onFile("write", "refs") { () throws(Errno) in
      do throws(Errno) {
        return try writeAside(bytes)
      } catch {
        // On a full disk what is derived makes room: else nothing could be deleted to get space back.
        guard error == .noSpace else { throw error }
        folder.dropDerived()
        return try writeAside(bytes)
      }
    }
    try beforeCommit()
    do throws(Errno) {
      try folder.beginUnsynced()
      try commit(file, keepingOld: version != nil)
    } catch {
      throw .system(operation: "write", path: "refs", error)
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
