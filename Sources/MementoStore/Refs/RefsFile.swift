// Reads and replaces `refs`. Its rename is the commit point of every command: before it nothing has happened.

internal import MementoSystem
internal import Synchronization

package struct RefsFile: Sendable {
  let folder: StoreFolder
  let lists: StateFiles
  private let parsed = ParsedRefs()
  /// A file of 10 million states.
  static let sizeLimit = 1 << 30

  package init(_ folder: StoreFolder) {
    self.folder = folder
    lists = StateFiles(folder)
  }

  /// What `refs` says now. Takes no lock: a rename shows the old file or the new one.
  package func read() throws(StoreError) -> Refs {
    while true {
      let file = try open()
      let head = try onFile("read", "refs") { () throws(Errno) in
        try file.descriptor.bytes(at: 0, count: RefsCodec.headLength)
      }
      // The head holds the checksum of all that follows: the same head is the same file.
      let last = parsed.last
      if let last, last.head == head { return last.refs }
      let bytes = try onFile("read", "refs") { () throws(Errno) in
        try file.descriptor.contents(limit: RefsFile.sizeLimit)
      }
      do throws(StoreError) {
        let refs = try RefsCodec.decode(bytes) { (id) throws(StoreError) in
          if let last, last.refs.states.file == id { return last.refs.states.list }
          if let list = try lists.read(id) { return list }
          throw .missing(id)
        }
        parsed.keep(refs, of: bytes)
        return refs
      } catch {
        guard case .missing = error else { throw error }
      }
      // Whoever replaces `refs` twice meanwhile may have removed the list that these spoke of.
      let now = try open()
      let isSame = try onFile("read", "refs") { () throws(Errno) in
        try file.descriptor.status().identity == now.descriptor.status().identity
      }
      if isSame { throw .damaged(file: "states/", reason: "the list that refs names is missing") }
    }
  }

  private func open() throws(StoreError) -> SharedDescriptor {
    try openingPart("refs") { () throws(Errno) -> SharedDescriptor in
      let file = try folder.root.open(StoreFolder.refsName, .read)
      guard try file.status().isRegular else { throw .invalid }
      return SharedDescriptor(file)
    }
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
    let lock = try lock(waiting: seconds)
    var refs = try read()
    let old = refs.states.file
    let result = try change(&refs)
    refs.generation &+= 1  // it counts for people; a forged one must not end the program
    try fold(&refs.states)
    let bytes = try write(refs, keepingOld: true)
    // `refs.prev` speaks of the old list still.
    if refs.states.file != old { lists.remove(allBut: [old, refs.states.file].compactMap(\.self)) }
    // After the commit, which stands without it; the next one tries again.
    try? backUp(refs, bytes)
    _ = consume lock
    return (result, refs)
  }

  func lock(waiting seconds: Double) throws(StoreError) -> FileLock {
    let lock = try onFile("lock", "refs.lock") { () throws(Errno) in
      try FileLock.acquire(StoreFolder.refsLockName, in: folder.root, .exclusive, waiting: seconds)
    }
    guard let lock else { throw .locked(by: nil) }
    return lock
  }

  /// Few states are written as one list, in `refs` itself; many into a file of their own, once for many changes.
  private func fold(_ states: inout StateTable) throws(StoreError) {
    if states.changes.isEmpty || (states.file != nil && states.changes.count <= StateTable.longestChanges) { return }
    let list: StateList
    do throws(FormatError) { list = try states.folded() } catch { throw .damaged(file: "refs", reason: error.reason) }
    if list.count <= StateTable.longestChanges {
      states = StateTable(list, file: nil)
      return
    }
    let file = try onFile("write", "states/") { () throws(Errno) -> ObjectID? in
      do throws(Errno) {
        return try lists.write(list)
      } catch {
        // A full disk: the list can wait, deleting cannot.
        guard error == .noSpace else { throw error }
        return nil
      }
    }
    if file != nil || states.file == nil { states = StateTable(list, file: file) }
  }

  /// Returns what was written.
  @discardableResult
  func write(_ refs: Refs, keepingOld: Bool) throws(StoreError) -> [UInt8] {
    let bytes = RefsCodec.encode(refs)
    let aside = folder.temporaryName("refs")
    do throws(StoreError) {
      // Open, and so locked against a sweep, until it has its name.
      let file = try onFile("write", "refs") { () throws(Errno) in
        do throws(Errno) {
          return try write(bytes, aside: aside)
        } catch {
          // On a full disk what is derived makes room: else nothing could be deleted to get space back.
          guard error == .noSpace else { throw error }
          folder.dropDerived()
          return try write(bytes, aside: aside)
        }
      }
      try onFile("flush", "packs") { () throws(Errno) in try folder.flushPackNames() }
      try onFile("write", "refs") { () throws(Errno) in try commit(aside, keepingOld: keepingOld) }
      _ = consume file
    } catch {
      try? folder.temporary.removeFile(aside)
      throw error
    }
    // The mark of a restore is checked when it is read, since its staging folder is removed in the end.
    if refs.pending == nil { parsed.keep(refs, of: bytes) }
    return bytes
  }

  private func write(_ bytes: [UInt8], aside: [UInt8]) throws(Errno) -> SharedDescriptor {
    do throws(Errno) {
      let file = try folder.createTemporary(aside)
      try file.lockAgainstSweep()
      try file.write(bytes)
      if folder.isDurable { try file.flush() }
      return SharedDescriptor(file)
    } catch {
      try? folder.temporary.removeFile(aside)
      throw error
    }
  }

  private func commit(_ aside: [UInt8], keepingOld: Bool) throws(Errno) {
    if keepingOld {
      try? folder.root.removeFile(StoreFolder.previousRefsName)
      try? folder.root.link(StoreFolder.refsName, to: StoreFolder.previousRefsName, in: folder.root)
    }
    try folder.temporary.rename(aside, to: StoreFolder.refsName, in: folder.root)
    if folder.isDurable { try folder.root.flushDirectory() }
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
