// Reads and changes `refs`. Replacing them is the commit point of every command: before it nothing has happened.

package import MementoSystem
internal import Synchronization

package struct RefsFile: Sendable {
  let folder: StoreFolder
  let storage: any RefsStorage
  let lists: StateFiles
  private let packs: any PackStorage
  private let trashFiles: TrashFiles
  private let clock: @Sendable () -> ClockReading
  private let parsed = ParsedRefs()

  /// The `refs` of a folder on this machine. `clock`: says how much time passes for the trash.
  package init(_ folder: StoreFolder, clock: @escaping @Sendable () -> ClockReading = ClockReading.ofSystem) {
    self.init(folder, LocalRefs(folder), LocalPacks(folder), clock: clock)
  }

  /// `refs` that are kept in `storage` and name what is in `packs`. Their long lists are in `folder`.
  package init(
    _ folder: StoreFolder, _ storage: any RefsStorage, _ packs: any PackStorage,
    clock: @escaping @Sendable () -> ClockReading = ClockReading.ofSystem
  ) {
    self.folder = folder
    self.storage = storage
    self.packs = packs
    self.clock = clock
    lists = StateFiles(folder)
    trashFiles = TrashFiles(folder)
  }

  /// What `refs` says now. Takes no lock: the old ones or the new ones are read, and no mixture.
  package func read() throws(StoreError) -> Refs {
    try readVersion().refs
  }

  private func readVersion() throws(StoreError) -> (refs: Refs, version: RefsVersion) {
    while true {
      let last = parsed.last
      guard let found = try storage.read(ifOtherThan: last?.version) else {
        if let last { return (last.refs, last.version) }
        throw .damaged(file: "refs", reason: "it is missing")
      }
      do throws(StoreError) {
        let refs = try RefsCodec.decode(found.bytes) { (id) throws(StoreError) in
          if let last, last.refs.states.file == id { return last.refs.states.list }
          if let list = try lists.read(id) { return list }
          throw .missing(id)
        }
        parsed.keep(refs, found.version)
        return (refs, found.version)
      } catch {
        guard case .missing = error else { throw error }
      }
      // Whoever replaces `refs` twice meanwhile may have removed the list that these spoke of.
      if try storage.read(ifOtherThan: found.version) == nil {
        throw .damaged(file: "states/", reason: "the list that refs names is missing")
      }
    }
  }

  /// Writes the first `refs` of a new store, which nobody else uses yet.
  package func create() throws(StoreError) {
    _ = try write(Refs(), over: nil, holding: RefsTurn())
  }

  /// Changes `refs` as one step: nobody else changes it between reading and replacing. Nothing is written when `change`
  /// throws. What loses its name or its step by it comes into the trash, whichever command it is.
  package func update<Result>(
    waiting wait: LockWait, _ change: (inout Refs) throws(StoreError) -> Result
  ) throws(StoreError) -> (result: Result, refs: Refs) {
    let done = try attemptUpdate(waiting: wait) { (refs) throws(StoreError) in (try change(&refs), true) }
    return try done.get()
  }

  /// The same for a change that may turn out not to be wanted, and that fails in its own way. `change` says whether its
  /// change is to be written; what it throws is the failure of the result. Where `refs` have no lock, `change` is called
  /// again when somebody else was quicker.
  package func attemptUpdate<Result, Failure: Error>(
    waiting wait: LockWait, _ change: (inout Refs) throws(Failure) -> (result: Result, isWanted: Bool)
  ) throws(StoreError) -> Swift.Result<(result: Result, refs: Refs), Failure> {
    try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in
      while true {
        let (old, version) = try readVersion()
        var refs = old
        let result: Result
        do throws(Failure) {
          let (found, isWanted) = try change(&refs)
          if !isWanted { return .success((found, old)) }
          result = found
        } catch {
          return .failure(error)
        }
        if try commit(&refs, from: old, version, holding: turn) { return .success((result, refs)) }
      }
    }
  }

  /// Completes changed `refs` and puts them in the place of `old`; false when somebody else was quicker.
  private func commit(
    _ refs: inout Refs, from old: Refs, _ version: RefsVersion, holding turn: borrowing RefsTurn
  ) throws(StoreError) -> Bool {
    refs.keepWhatLeft(old, at: clock)
    refs.generation &+= 1  // it counts for people; a forged one must not end the program
    try fold(&refs.states)
    refs.trash = try writingList("trash/", or: refs.trash) { () throws(Errno) in try trashFiles.fold(refs.trash) }
    guard let bytes = try write(refs, over: version, holding: turn) else { return false }
    if refs.states.file != old.states.file || refs.trash.files != old.trash.files { removeLists(old, refs) }
    // After the commit, which stands without it.
    backUp(refs, bytes, holding: turn)
    return true
  }

  /// Removes lists and their copies, but for those of the newest `refs` and of `refs.prev`.
  private func removeLists(_ old: Refs, _ new: Refs) {
    // The mark holds `refs` that speak of other lists, and may be the last that are durable.
    if folder.mayHaveUnsynced { return }
    let trash = old.trash.files + new.trash.files
    lists.remove(allBut: [old.states.file, new.states.file].compactMap(\.self) + trash)
    trashFiles.remove(allBut: trash)
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

  /// Drops all entries of the trash but these. Nothing is written when nothing changes,
  /// and on a full disk they stay.
  package func keepTrash(
    _ kept: [TrashEntry], holding lock: borrowing StoreLock<RemovesPacks>, waiting wait: LockWait
  ) throws(StoreError) {
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

  /// Writes `refs` in the place of those of a version; nil: whatever is there. Returns what was written; nil when somebody
  /// else was quicker.
  func write(
    _ refs: Refs, over version: RefsVersion?, holding turn: borrowing RefsTurn
  ) throws(StoreError) -> [UInt8]? {
    let bytes = RefsCodec.encode(refs)
    // All that `refs` names is durable before them, whoever has stored it.
    let written = try storage.replace(version, with: bytes, holding: turn) { () throws(StoreError) in try packs.flush()
    }
    guard let written else { return nil }
    packs.endCommit()
    // The mark of a restore is checked when it is read, since its staging folder is removed in the end.
    if refs.pending == nil { parsed.keep(refs, written) }
    return bytes
  }
}

/// What was parsed last. An operation reads `refs` several times, since others may have replaced it; mostly nobody has.
private final class ParsedRefs: Sendable {
  private let kept = Mutex<(version: RefsVersion, refs: Refs)?>(nil)

  var last: (version: RefsVersion, refs: Refs)? { kept.withLock { $0 } }

  func keep(_ refs: Refs, _ version: RefsVersion) {
    kept.withLock { $0 = (version, refs) }
  }
}
