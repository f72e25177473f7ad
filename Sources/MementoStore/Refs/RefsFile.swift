// Reads and replaces `refs`. Its rename is the commit point of every command: before it nothing has happened.

package import MementoSystem
internal import Synchronization

package struct RefsFile: Sendable {
  let folder: StoreFolder
  let lists: StateFiles
  private let trashFiles: TrashFiles
  private let clock: @Sendable () -> ClockReading
  private let parsed = ParsedRefs()
  /// A file of 10 million states.
  static let sizeLimit = 1 << 30

  /// `clock`: says how much time passes for the trash.
  package init(_ folder: StoreFolder, clock: @escaping @Sendable () -> ClockReading = ClockReading.ofSystem) {
    self.folder = folder
    self.clock = clock
    lists = StateFiles(folder)
    trashFiles = TrashFiles(folder)
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
  /// throws. What loses its name or its step by it comes into the trash, whichever command it is.
  package func update<Result>(
    waiting wait: LockWait, _ change: (inout Refs) throws(StoreError) -> Result
  ) throws(StoreError) -> (result: Result, refs: Refs) {
    let lock = try lock(waiting: wait)
    var refs = try read()
    let old = refs
    let result = try change(&refs)
    refs.keepWhatLeft(old, at: clock)
    refs.generation &+= 1  // it counts for people; a forged one must not end the program
    try fold(&refs.states)
    refs.trash = try writingList("trash/", or: refs.trash) { () throws(Errno) in try trashFiles.fold(refs.trash) }
    let bytes = try write(refs, keepingOld: true)
    if refs.states.file != old.states.file || refs.trash.files != old.trash.files { removeLists(old, refs) }
    // After the commit, which stands without it; the next one tries again.
    try? backUp(refs, bytes)
    _ = consume lock
    return (result, refs)
  }

  /// Removes lists and their copies, but for those of the newest `refs` and of `refs.prev`.
  private func removeLists(_ old: Refs, _ new: Refs) {
    // The mark holds `refs` that speak of other lists, and may be the last that are durable.
    if folder.mayHaveUnsynced { return }
    let trash = old.trash.files + new.trash.files
    lists.remove(allBut: [old.states.file, new.states.file].compactMap(\.self) + trash)
    trashFiles.remove(allBut: trash)
  }

  func lock(waiting wait: LockWait) throws(StoreError) -> FileLock {
    try lockFile(StoreFolder.refsLockName, in: folder.root, .exclusive, waiting: wait)
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
    let file = try writingList("states/", or: nil) { () throws(Errno) -> ObjectID? in try lists.write(list) }
    if file != nil || states.file == nil { states = StateTable(list, file: file) }
  }

  /// Writes a list into a file of its own. On a full disk it can wait, and deleting cannot: then there is only `other`.
  private func writingList<List>(
    _ path: String, or other: List, _ write: () throws(Errno) -> List
  ) throws(StoreError) -> List {
    try onFile("write", path) { () throws(Errno) -> List in
      do throws(Errno) {
        return try write()
      } catch {
        guard error == .noSpace else { throw error }
        return other
      }
    }
  }

  // MARK: The trash

  /// What lost its name or its step, the oldest first, and how much time has passed by now.
  package func trash(_ refs: Refs) throws(StoreError) -> (entries: [TrashEntry], now: Trash) {
    var now = refs.trash
    if !now.isEmpty { now.tick(clock()) }
    return (try trashFiles.entries(of: refs.trash), now)
  }

  /// Drops all entries of the trash but these. The caller has the exclusive lock. Nothing is written when nothing changes,
  /// and on a full disk they stay.
  package func keepTrash(_ kept: [TrashEntry], waiting wait: LockWait) throws(StoreError) {
    let trash = try read().trash
    if trash.isEmpty { return }
    let known = try? trashFiles.entries(of: trash)  // unreadable: all that is known of it is in `kept`
    // The time of an earlier start of the machine is lost when it is not noted now.
    if known == kept, trash.clock?.boot == clock().boot, trash.clock?.boot.isEmpty == false { return }
    do throws(StoreError) {
      _ = try update(waiting: wait) { (refs) throws(StoreError) in
        if known == kept { return }
        refs.trash = try onFile("write", "trash/") { () throws(Errno) in try trashFiles.replace(refs.trash, with: kept)
        }
      }
    } catch {
      guard case .system(_, _, .noSpace) = error else { throw error }
    }
  }

  /// Returns what was written.
  @discardableResult
  func write(_ refs: Refs, keepingOld: Bool) throws(StoreError) -> [UInt8] {
    let bytes = RefsCodec.encode(refs)
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
    try onFile("flush", "packs") { () throws(Errno) in
      // All that `refs` names is durable before them, whoever has stored it.
      try folder.settle()
      try folder.flushPackNames()
    }
    do throws(Errno) {
      try folder.beginUnsynced()
      try commit(file, keepingOld: keepingOld)
    } catch {
      throw .system(operation: "write", path: "refs", error)
    }
    folder.endUnsynced()
    // The mark of a restore is checked when it is read, since its staging folder is removed in the end.
    if refs.pending == nil { parsed.keep(refs, of: bytes) }
    return bytes
  }

  private func writeAside(_ bytes: [UInt8]) throws(Errno) -> TemporaryFile {
    let file = try folder.makeTemporary("refs")
    try file.write(bytes)
    if folder.isDurable { try file.flush() }
    return file
  }

  private func commit(_ file: consuming TemporaryFile, keepingOld: Bool) throws(Errno) {
    if keepingOld {
      // A second copy for repairs. When it cannot be kept, the change goes on: `refs` itself is whole.
      try? folder.root.removeFile(StoreFolder.previousRefsName)
      try? folder.root.link(StoreFolder.refsName, to: StoreFolder.previousRefsName, in: folder.root)
    }
    try file.place(as: StoreFolder.refsName, in: folder.root)
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
