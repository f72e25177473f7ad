// The steps that many operations share: take locks, read and change refs, read records.

internal import MementoStore
internal import MementoSystem

extension Repository {
  /// Throws `.badConfig` when a value in the config cannot be understood. What snapshots leave out, and what restores
  /// leave alone, is not known then.
  public func checkConfig() throws(RepositoryError) {
    try translating { () throws(StoreError) in try store.config.check(besides: folderConfig.faults) }
  }

  func readRefs() throws(RepositoryError) -> Refs {
    try translating { () throws(StoreError) in try store.refs.read() }
  }

  /// Changes `refs` in one step. Writes nothing when `change` throws.
  func updateRefs<Use: StoreUse, Result>(
    holding lock: borrowing StoreLock<Use>, _ change: (inout Refs) throws(RepositoryError) -> Result
  ) throws(RepositoryError) -> Result {
    try attemptUpdate(holding: lock) { (refs) throws(RepositoryError) in (try change(&refs), true) }
  }

  /// Changes `refs` in one step, unless `change` returns false. Writes nothing then, and when `change` throws.
  func updateRefsIfWanted<Use: StoreUse>(
    holding lock: borrowing StoreLock<Use>, _ change: (inout Refs) throws(RepositoryError) -> Bool
  ) throws(RepositoryError) -> Bool {
    try attemptUpdate(holding: lock) { (refs) throws(RepositoryError) in
      let isWanted = try change(&refs)
      return (isWanted, isWanted)
    }
  }

  private func attemptUpdate<Use: StoreUse, Result>(
    holding lock: borrowing StoreLock<Use>,
    _ change: (inout Refs) throws(RepositoryError) -> (result: Result, isWanted: Bool)
  ) throws(RepositoryError) -> Result {
    let outcome = try translating { () throws(StoreError) in
      try lock.check()
      return try store.refs.attemptUpdate(waiting: wait()) { (refs) throws(RepositoryError) in
        let found = try change(&refs)
        noteFork(in: &refs)
        return found
      }
    }
    let result = try outcome.get().result
    backUpConfig()
    return result
  }

  /// A fork that was moved is found at its new place from now on.
  private func noteFork(in refs: inout Refs) {
    guard isAttached, let index = refs.forks.firstIndex(where: { $0.id == store.refs.fork }) else { return }
    refs.forks[index].path = folder.bytes
  }

  /// Keeps a second copy of a config of which every line is understood.
  func backUpConfig() {
    if folderConfig.faults.allSatisfy({ $0.file != nil }) { store.backUpConfig() }
  }

  /// How long locks are waited for. `monitor` hears of it and can end it; without one that listens, that of the repository.
  func wait(_ monitor: (any Monitor)? = nil) -> LockWait {
    if let monitor, !(monitor is SilentMonitor) { return LockWait(seconds: lockWait, hearing: monitor) }
    return LockWait(seconds: lockWait, hearing: self.monitor)
  }

  // MARK: Locks

  /// Takes the lock for a save of the folder: others may save at the same time, but nobody restores or collects
  /// garbage. `changes`: false for a dry run, which leaves the store as it is.
  func lockForSaving(
    _ monitor: (any Monitor)? = nil, changes: Bool
  ) throws(RepositoryError) -> StoreLock<ReadsFolder> {
    try prepareToChange(monitor, changes: changes)
    let lock = try take(ReadsFolder.self, monitor, changes: changes)
    try checkNoPendingRestore(try readRefs())
    return lock
  }

  /// Takes the lock for values and names: nobody collects garbage. A restore may go on at the same time. While `refs`
  /// have its mark, nobody can tell whether it was interrupted, so the call waits for its end.
  func lockForNaming(
    _ monitor: (any Monitor)? = nil, changes: Bool = true
  ) throws(RepositoryError) -> StoreLock<UsesPacks> {
    try prepareToChange(monitor, changes: changes)
    let lock = try take(UsesPacks.self, monitor, changes: changes)
    if try readRefs().pending != nil { try checkNoInterruptedRestore(monitor, changes: changes) }
    return lock
  }

  private func checkNoInterruptedRestore(_ monitor: (any Monitor)?, changes: Bool) throws(RepositoryError) {
    let lock = try take(ReadsFolder.self, monitor, changes: changes)
    // Nobody restores while this lock is held, so a mark that is still there comes from a process that is gone.
    try checkNoPendingRestore(holding: lock)
  }

  private func checkNoPendingRestore(holding lock: borrowing StoreLock<ReadsFolder>) throws(RepositoryError) {
    try checkNoPendingRestore(try readRefs())
  }

  /// Takes the lock for a restore in place: nobody else saves the folder, restores into it or collects garbage.
  func lockForRestoring(
    _ monitor: (any Monitor)? = nil, changes: Bool = true
  ) throws(RepositoryError) -> StoreLock<ChangesFolder> {
    try checkConfig()
    try confirmPacks(monitor, changes: changes)
    return try take(ChangesFolder.self, monitor, changes: changes)
  }

  /// Takes the lock for removing packs: nobody else works with the store. `needsConfig`: false for operations that do
  /// not depend on the config.
  func lockAlone(
    _ monitor: (any Monitor)? = nil, changes: Bool = true, needsConfig: Bool = true
  ) throws(RepositoryError) -> StoreLock<RemovesPacks> {
    if needsConfig { try checkConfig() }
    let lock = try take(RemovesPacks.self, monitor, changes: changes)
    for pack in try confirmPacks(holding: lock) {
      notice(Notice(.lostPack, file: "packs/\(pack.id.short)….pack", detail: pack.reason))
    }
    return lock
  }

  /// Takes the lock for reading packs: nobody collects garbage.
  func lockForReading(_ monitor: (any Monitor)? = nil) throws(RepositoryError) -> StoreLock<UsesPacks> {
    try take(UsesPacks.self, monitor, changes: false)
  }

  /// Takes the lock for reading packs without waiting; nil when another process holds it.
  func lockForReadingNow() throws(RepositoryError) -> StoreLock<UsesPacks>? {
    do throws(RepositoryError) {
      return try translating { () throws(StoreError) in
        try store.locks.take(UsesPacks.self, upgrading: false, waiting: 0)
      }
    } catch {
      if error.code == .locked { return nil }
      throw error
    }
  }

  private func take<Use: StoreUse>(
    _ use: Use.Type, _ monitor: (any Monitor)?, changes: Bool
  ) throws(RepositoryError) -> StoreLock<Use> {
    try translating { () throws(StoreError) in
      try store.locks.take(use, upgrading: changes, waiting: wait(monitor))
    }
  }

  private func confirmPacks(holding lock: borrowing StoreLock<RemovesPacks>) throws(RepositoryError) -> [LostPack] {
    try translating { () throws(StoreError) in try store.confirmPacks(holding: lock) }
  }

  private func prepareToChange(_ monitor: (any Monitor)?, changes: Bool) throws(RepositoryError) {
    try checkConfig()
    sweepLeftovers()
    try confirmPacks(monitor, changes: changes)
  }

  /// Checks packs that were written without a flush before the last boot. Nothing may rely on them until they were
  /// read.
  private func confirmPacks(_ monitor: (any Monitor)?, changes: Bool) throws(RepositoryError) {
    guard try translating({ () throws(StoreError) in try store.hasUnconfirmedPacks() }) else { return }
    _ = try lockAlone(monitor, changes: changes)
  }

  /// Reads without a lock, so that listing and comparing never wait for a writer. What another process deletes and
  /// collects meanwhile looks like damage. So after damage, `body` runs once more under the lock, and only that result
  /// counts.
  func withoutWaiting<Result>(_ body: () throws(RepositoryError) -> Result) throws(RepositoryError) -> Result {
    do throws(RepositoryError) {
      return try body()
    } catch {
      guard error.code == .damaged else { throw error }
    }
    return try runHolding(try lockForReading(), body)
  }

  /// Runs `body` while a lock is held.
  func runHolding<Use: StoreUse, Result>(
    _ lock: borrowing StoreLock<Use>, _ body: () throws(RepositoryError) -> Result
  ) throws(RepositoryError) -> Result {
    try body()
  }

  /// Removes what killed processes left in tmp/, if nobody else uses the store. This needs both locks: a staging folder
  /// belongs to a restore, and its content is compared with packs.
  private func sweepLeftovers() {
    do throws(RepositoryError) {
      guard try hasLeftovers() else { return }
      let lock = try translating { () throws(StoreError) in
        try store.locks.take(RemovesPacks.self, upgrading: false, waiting: 0)
      }
      try sweepLeftovers(holding: lock)
    } catch {
      // Whoever saves goes on without the sweep; the next save tries again.
    }
  }

  private func hasLeftovers() throws(RepositoryError) -> Bool {
    do throws(Errno) {
      return try store.folder.hasLeftovers
    } catch {
      throw RepositoryError(.system, "cannot read .memento/tmp: \(error)", systemError: error.code)
    }
  }

  private func sweepLeftovers(holding lock: borrowing StoreLock<RemovesPacks>) throws(RepositoryError) {
    // Under the lock: what another process stages after a look without it is not left over.
    let refs = try readRefs()
    sweepStaging(pending: refs.allPending, holding: lock)
    store.folder.removeAbandoned(keeping: Set(refs.allPending.map { Array($0.staging.utf8) }))
  }

  /// Throws when a restore of this folder was interrupted.
  func checkNoPendingRestore(_ refs: Refs) throws(RepositoryError) {
    if refs.pending == nil { return }
    throw RepositoryError(
      .restorePending, "a restore was interrupted")
  }

  /// Throws when a restore of any folder of the store was interrupted.
  func checkNoPendingRestoreAnywhere(_ refs: Refs) throws(RepositoryError) {
    try checkNoPendingRestore(refs)
    for fork in refs.forks where fork.pending != nil {
      // Looked at from a fork, its record holds what is pending in the main folder.
      let path = fork.id == store.refs.fork ? mainFolder : BytePath(fork.path)
      var error = RepositoryError(
        .restorePending, "a restore was interrupted in another folder of this store: \(path)",
        reason: .pendingElsewhere,
        path: path)
      error.folder = path
      throw error
    }
  }

  /// Whether the index has a snapshot. Does not read its pack. gc may have removed a snapshot that nothing keeps.
  func isStored(_ id: ObjectID) throws(RepositoryError) -> Bool {
    try translating { () throws(StoreError) in try store.index.contains(id) }
  }

  func record(of id: ObjectID?) throws(RepositoryError) -> StoredSnapshot? {
    guard let id else { return nil }
    return try translating { () throws(StoreError) in StoredSnapshot(id, try SnapshotRecord.read(id, from: store)) }
  }

  /// The snapshot at the position; nil when there is none. Nil also when it is damaged, with a notice: the user must still
  /// be able to save the folder or to go to another state.
  func recordAtPosition(_ refs: Refs) throws(RepositoryError) -> StoredSnapshot? {
    do throws(RepositoryError) {
      return try record(of: refs.timeline.current?.snapshot)
    } catch {
      guard error.isDamage else { throw error }
      notice(Notice(.foundDamage, file: "packs", detail: "\(error.message), so the folder is compared with nothing"))
      return nil
    }
  }

  func journalEntry(
    _ operation: String, snapshot: ObjectID?, name: String?, formerName: String? = nil, at time: Timestamp
  ) -> JournalEntry {
    JournalEntry(
      time: time, user: Host.userName(), operation: operation, snapshot: snapshot, name: name, formerName: formerName,
      fork: store.refs.fork)
  }

  func journal(_ operation: String, snapshot: ObjectID?, name: String?, at time: Timestamp) {
    journal([journalEntry(operation, snapshot: snapshot, name: name, at: time)])
  }

  func journal(_ entries: [JournalEntry]) {
    Journal(store.folder).append(entries)
  }
}
