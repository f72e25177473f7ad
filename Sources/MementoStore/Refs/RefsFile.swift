// Reads and changes `refs`. Replacing them is the commit of every command: before that, the command has changed
// nothing.

package import MementoSystem
internal import Synchronization

/// The `refs` of a store, with their lists and their trash.
package struct RefsFile: Sendable {
  let folder: StoreFolder
  let storage: any RefsStorage
  let lists: StateFiles
  private let packs: any PackStorage
  let trashFiles: TrashFiles
  private let clock: @Sendable () -> ClockReading
  let healed: HealedFiles
  /// The fork whose steps stand in the place of those of the main folder. Nil for the main folder itself.
  package let fork: ForkID?
  private let parsed = ParsedRefs()

  /// Uses the `refs` of a folder on this machine. `clock`: measures the time that entries spend in the trash.
  package init(_ folder: StoreFolder, clock: @escaping @Sendable () -> ClockReading = ClockReading.ofSystem) {
    self.init(folder, LocalRefs(folder), LocalPacks(folder), clock: clock, healed: HealedFiles())
  }

  /// Uses the `refs` in `storage`, which name what is in `packs`. Their long lists are files in `folder`. `healed`:
  /// notes what was damaged and read from a copy. `fork`: whose steps are to be seen in the place of those of the main
  /// folder.
  package init(
    _ folder: StoreFolder, _ storage: any RefsStorage, _ packs: any PackStorage,
    clock: @escaping @Sendable () -> ClockReading = ClockReading.ofSystem, healed: HealedFiles, fork: ForkID? = nil
  ) {
    self.healed = healed
    self.fork = fork
    self.folder = folder
    self.storage = storage
    self.packs = packs
    self.clock = clock
    lists = StateFiles(folder)
    trashFiles = TrashFiles(folder)
  }

  /// The same `refs` as the main folder sees them. For what concerns all folders, and repairs.
  package var ofMainFolder: RefsFile {
    fork == nil ? self : RefsFile(folder, storage, packs, clock: clock, healed: healed)
  }

  /// Reads the current `refs`, without a lock: the result is either the old ones or the new ones, never a mixture.
  /// Throws `.damaged` when they are missing or not valid.
  package func read() throws(StoreError) -> Refs {
    try readVersion().refs
  }

  /// Identifies the current `refs`: equal for equal ones.
  package func digest() throws(StoreError) -> ObjectID {
    try readVersion().version.digest
  }

  /// `healing`: false reads only the files themselves, and not the copies of damaged ones.
  func readVersion(healing: Bool = true) throws(StoreError) -> (refs: Refs, version: RefsVersion) {
    while true {
      let last = healing ? parsed.last : nil
      guard var found = try stored(ifOtherThan: last?.version, healing: healing) else {
        if let last { return (last.refs, last.version) }
        throw .damaged(file: "refs", reason: "it is missing")
      }
      do throws(StoreError) {
        let refs: Refs
        do throws(StoreError) {
          refs = try decode(found, last, healing: healing)
        } catch {
          guard healing, let copy = try copy(of: found.bytes, after: error) else { throw error }
          healed.add(.refs)
          found = copy
          refs = try decode(copy, last, healing: healing)
        }
        parsed.keep(refs, found.version)
        return (refs, found.version)
      } catch {
        guard case .missing = error else { throw error }
      }
      // The list that these `refs` name is missing. If somebody has replaced `refs` meanwhile, that removed the list:
      // read again.
      if try storage.read(ifOtherThan: found.version) == nil {
        throw .damaged(file: "states/", reason: "the list that refs names is missing")
      }
    }
  }

  /// The copy to be read in the place of `refs` that cannot be decoded; nil when there is none. A first line that looks
  /// like that of a later version is a damaged one if the copy has another, and all the rest is the same: every commit
  /// changes the generation.
  func copy(of bytes: [UInt8], after error: StoreError) throws(StoreError) -> StoredRefs? {
    if case .damaged = error { return try storage.intactCopy(of: bytes) }
    guard error.isNewer, let copy = try storage.intactCopy(of: bytes),
      RefsCodec.differOnlyInVersion(bytes, copy.bytes)
    else { return nil }
    return copy
  }

  private func stored(ifOtherThan known: RefsVersion?, healing: Bool) throws(StoreError) -> StoredRefs? {
    do throws(StoreError) {
      return try storage.read(ifOtherThan: known)
    } catch {
      guard error.isDamage, healing, let copy = try storage.intactCopy(of: nil) else { throw error }
      healed.add(.refs)
      return copy
    }
  }

  private func decode(
    _ found: StoredRefs, _ last: (version: RefsVersion, refs: Refs)?, healing: Bool
  ) throws(StoreError) -> Refs {
    var refs = try RefsCodec.decode(found.bytes) { (id) throws(StoreError) in
      if let last, last.refs.states.file == id { return last.refs.states.list }
      var failure = StoreError.missing(id)
      do throws(StoreError) {
        if let list = try lists.read(id) { return list }
      } catch {
        guard error.isDamage else { throw error }
        failure = error
      }
      guard healing, let copy = try StoreBackup(folder).list(id) else { throw failure }
      healed.add(.list(id))
      return copy
    }
    if let fork, !refs.exchange(with: fork) { throw .unknownFork(fork) }
    return refs
  }

  /// The bytes of `refs` that this has read or is about to write.
  func encode(_ refs: Refs) -> [UInt8] {
    guard let fork else { return RefsCodec.encode(refs) }
    var whole = refs
    // They were exchanged when they were read, and no command removes the fork that it looks from.
    precondition(whole.exchange(with: fork), "refs have lost the fork that is looked from")
    return RefsCodec.encode(whole)
  }

  /// Writes the first `refs` of a new store, which nobody else uses yet.
  package func create() throws(StoreError) {
    _ = try write(Refs(), over: nil, holding: RefsTurn())
  }

  /// Changes `refs` in one step: nobody else changes them between reading and replacing. If `change` throws, nothing is
  /// written. Snapshots that lose their name or their step go to the trash, whichever command does this. Throws
  /// `.locked` when the time for the lock runs out.
  package func update<Result>(
    waiting wait: LockWait, _ change: (inout Refs) throws(StoreError) -> Result
  ) throws(StoreError) -> (result: Result, refs: Refs) {
    let done = try attemptUpdate(waiting: wait) { (refs) throws(StoreError) in (try change(&refs), true) }
    return try done.get()
  }

  /// Same, for a change that may turn out to be unwanted, or that throws errors of its own type. `change` returns
  /// whether its change is to be written; an error that it throws is returned as the failure. In a storage without a
  /// lock, `change` is called again when somebody else has replaced `refs` meanwhile. `steps`: the oldest steps, which
  /// timelines lose for good. Throws when they are not.
  package func attemptUpdate<Result, Failure: Error>(
    waiting wait: LockWait, expiring steps: ExpiredSteps = ExpiredSteps(),
    _ change: (inout Refs) throws(Failure) -> (result: Result, isWanted: Bool)
  ) throws(StoreError) -> Swift.Result<(result: Result, refs: Refs), Failure> {
    try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in
      while true {
        var (old, version) = try readVersion()
        try old.expire(steps)
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
  func commit(
    _ refs: inout Refs, from old: Refs, _ version: RefsVersion, holding turn: borrowing RefsTurn
  ) throws(StoreError) -> Bool {
    refs.keepWhatLeft(old, at: clock)
    refs.generation &+= 1  // for people; wraps around, so that a forged value cannot crash the program
    try fold(&refs.states)
    refs.trash = try writingList("trash/", or: refs.trash) { () throws(Errno) in try trashFiles.fold(refs.trash) }
    guard let bytes = try write(refs, over: version, holding: turn) else { return false }
    if refs.states.file != old.states.file || refs.trash.files != old.trash.files { removeLists(old, refs) }
    // The commit is done without the copies. If they cannot be written, the next commit tries again.
    backUp(refs, bytes, holding: turn)
    return true
  }

  /// Removes the lists that neither the newest `refs` nor `refs.prev` name, and the copies of these lists.
  private func removeLists(_ old: Refs, _ new: Refs) {
    // The mark `unsynced` holds `refs` that may name other lists, and may be the last durable ones.
    if folder.mayHaveUnsynced { return }
    let trash = old.trash.files + new.trash.files
    lists.remove(allBut: [old.states.file, new.states.file].compactMap(\.self) + trash)
    trashFiles.remove(allBut: trash)
  }

  /// Merges the changes of states into their list: on each commit while the list is part of `refs`, and after many
  /// changes when it is a file of its own. A short list becomes part of `refs`, a long one a file.
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

  /// Calls `write`, which writes a list into a file. Returns `other` when the disk is full: the list can be written
  /// later, but the user must be able to delete states now.
  private func writingList<List>(
    _ path: String, or other: List, _ write: () throws(Errno) -> List
  ) throws(StoreError) -> List {
    try onFolder("write", path) { () throws(Errno) -> List in
      do throws(Errno) {
        return try write()
      } catch {
        guard error.isNoSpace else { throw error }
        return other
      }
    }
  }

  // MARK: The trash

  /// The entries of the trash, oldest first. Throws when a list of entries cannot be read.
  package func trash(_ refs: Refs) throws(StoreError) -> [TrashEntry] {
    try trashFiles.entries(of: refs.trash)
  }

  /// The clock of `refs` as it stands now.
  package func clock(_ refs: Refs) -> LivedClock {
    let now = clock()
    return refs.clock?.advanced(to: now) ?? LivedClock(beginning: now)
  }

  /// Removes all entries of the trash except `kept`, the oldest steps of timelines if they are `steps`, and the notes of
  /// snapshots that nothing keeps and that are not stored any more by `isStored`: an earlier gc has removed these. What is
  /// kept and missing may come back with a repair. Writes nothing when nothing changes. Returns false on a full disk: nothing has changed then.
  package func expire(
    steps: ExpiredSteps = ExpiredSteps(), keeping kept: [TrashEntry], isStored: (ObjectID) throws(StoreError) -> Bool,
    holding lock: borrowing StoreLock<RemovesPacks>, waiting wait: LockWait
  ) throws(StoreError) -> Bool {
    let refs = try read()
    var forgotten: Set<ObjectID> = []
    for id in refs.notes.snapshots where !refs.keeps(id) && !kept.contains(where: { $0.snapshot == id }) {
      if try !isStored(id) { forgotten.insert(id) }
    }
    if !refs.needsClock, forgotten.isEmpty { return true }
    let known = try? trashFiles.entries(of: refs.trash)  // if unreadable, `kept` has all that is known of it
    if known == kept, steps.isEmpty, forgotten.isEmpty, hasCurrentClock(refs) { return true }
    do throws(StoreError) {
      let done = try attemptUpdate(waiting: wait, expiring: steps) { (refs) throws(StoreError) in
        refs.notes.removeAll { forgotten.contains($0) }
        if known == kept { return ((), true) }
        refs.trash = try onFolder("write", "trash/") { () throws(Errno) in
          try trashFiles.replace(refs.trash, with: kept)
        }
        return ((), true)
      }
      _ = try done.get()
    } catch {
      guard error.isNoSpace else { throw error }
      return false
    }
    return true
  }

  /// Whether the clock loses nothing when it is not written now. After a new boot it is written: the time of an earlier
  /// boot is lost if the clock does not note it. So it is when steps of an earlier version have no ages yet.
  package func hasCurrentClock(_ refs: Refs) -> Bool {
    if !refs.needsClock { return true }
    guard let clock = refs.clock, !clock.boot.isEmpty, clock.boot == self.clock().boot else { return false }
    return refs.timelines.allSatisfy { $0.steps.allSatisfy { $0.lived != nil } }
  }

  /// Writes `refs` in the place of those of a version; nil: whatever is there. Returns what was written; nil when somebody
  /// else was quicker.
  func write(
    _ refs: Refs, over version: RefsVersion?, holding turn: borrowing RefsTurn
  ) throws(StoreError) -> [UInt8]? {
    let bytes = encode(refs)
    // All that `refs` names is durable before them, whoever has stored it.
    let written = try storage.replace(version, with: bytes, holding: turn) { () throws(StoreError) in try packs.flush()
    }
    guard let written else { return nil }
    packs.endCommit()
    // What would not be decoded is not kept as if it had been.
    if refs.allPending.allSatisfy({ StagedName.isFolder($0.staging) }) { parsed.keep(refs, written) }
    return bytes
  }
}

/// A cache of the `refs` that were decoded last. An operation reads `refs` several times because others may have
/// replaced them, but mostly nobody has.
private final class ParsedRefs: Sendable {
  private let kept = Mutex<(version: RefsVersion, refs: Refs)?>(nil)

  var last: (version: RefsVersion, refs: Refs)? { kept.withLock { $0 } }

  func keep(_ refs: Refs, _ version: RefsVersion) {
    kept.withLock { $0 = (version, refs) }
  }
}
