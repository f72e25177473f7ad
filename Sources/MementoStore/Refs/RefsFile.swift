// Reads and replaces `refs`. Its rename is the commit point of every command: before it nothing has happened.

internal import MementoSystem
internal import Synchronization

package struct RefsFile: Sendable {
  private let folder: StoreFolder
  private let parsed = ParsedRefs()
  /// A file of 10 million states.
  private static let sizeLimit = 1 << 30

  package init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// What `refs` says now. Takes no lock: a rename shows the old file or the new one.
  package func read() throws(StoreError) -> Refs {
    let file = try onFile("read", "refs") { () throws(Errno) -> SharedDescriptor? in
      do throws(Errno) {
        let file = try folder.root.open(StoreFolder.refsName, .read)
        guard try file.status().isRegular else { throw .invalid }
        return SharedDescriptor(file)
      } catch {
        if error == .notFound { return nil }
        throw error
      }
    }
    guard let file else { throw .damaged(file: "refs", reason: "it is missing") }
    if let last = parsed.last {
      // The head holds the checksum of all that follows: the same head is the same file.
      let head = try onFile("read", "refs") { () throws(Errno) in
        try file.descriptor.bytes(at: 0, count: last.head.count)
      }
      if head == last.head { return last.refs }
    }
    let bytes = try onFile("read", "refs") { () throws(Errno) in
      try file.descriptor.contents(limit: RefsFile.sizeLimit)
    }
    try RefsCodec.checkVersion(bytes)
    let refs = try RefsCodec.decode(bytes)
    parsed.keep(refs, of: bytes)
    return refs
  }

  /// Writes the first `refs` of a new store.
  package func create() throws(StoreError) {
    try write(Refs(), keepingOld: false)
  }

  /// Changes `refs` as one step: nobody else changes it between reading and renaming. Nothing is written when `change`
  /// throws.
  package func update<Result>(
    waiting seconds: Double, _ change: (inout Refs) throws(StoreError) -> Result
  ) throws(StoreError) -> (result: Result, refs: Refs) {
    let lock = try onFile("lock", "refs.lock") { () throws(Errno) in
      try FileLock.acquire(StoreFolder.refsLockName, in: folder.root, .exclusive, waiting: seconds)
    }
    guard let lock else { throw .locked(by: nil) }
    var refs = try read()
    let result = try change(&refs)
    refs.generation &+= 1  // it counts for people; a forged one must not end the program
    try write(refs, keepingOld: true)
    _ = consume lock
    return (result, refs)
  }

  private func write(_ refs: Refs, keepingOld: Bool) throws(StoreError) {
    let bytes = RefsCodec.encode(refs)
    try onFile("write", "refs") { () throws(Errno) in
      do throws(Errno) {
        try replace(with: bytes, keepingOld: keepingOld)
      } catch {
        // On a full disk what is derived makes room: else nothing could be deleted to get space back.
        guard error == .noSpace else { throw error }
        folder.dropDerived()
        try replace(with: bytes, keepingOld: keepingOld)
      }
      if folder.isDurable { try folder.root.flushDirectory() }
    }
    // The mark of a restore is checked when it is read, since its staging folder is removed in the end.
    if refs.pending == nil { parsed.keep(refs, of: bytes) }
  }

  private func replace(with bytes: [UInt8], keepingOld: Bool) throws(Errno) {
    let aside = folder.temporaryName("refs")
    do throws(Errno) {
      let file = try folder.temporary.open(aside, .create)
      try file.lockAgainstSweep()
      try file.write(bytes)
      if folder.isDurable { try file.flush() }
      if keepingOld {
        try? folder.root.removeFile(StoreFolder.previousRefsName)
        try? folder.root.link(
          StoreFolder.refsName, to: StoreFolder.previousRefsName, in: folder.root)
      }
      try folder.temporary.rename(aside, to: StoreFolder.refsName, in: folder.root)
    } catch {
      try? folder.temporary.removeFile(aside)
      throw error
    }
  }
}

/// What was parsed last. An operation reads `refs` several times, since others may have replaced it; mostly nobody has.
private final class ParsedRefs: Sendable {
  private let kept = Mutex<(head: [UInt8], refs: Refs)?>(nil)

  var last: (head: [UInt8], refs: Refs)? { kept.withLock { $0 } }

  func keep(_ refs: Refs, of bytes: [UInt8]) {
    kept.withLock { $0 = (Array(bytes.prefix(RefsCodec.headLength)), refs) }
  }
}
