// What every operation does with the repository: lock it, read and change refs, look up records.

internal import MementoStore
internal import MementoSystem

extension Repository {
  /// Throws `.badConfig` when a line of the config has a value that is not understood: what is left out of snapshots and
  /// what restores leave alone is not known then.
  public func checkConfig() throws(RepositoryError) {
    try translating { () throws(StoreError) in try store.config.check() }
  }

  func readRefs() throws(RepositoryError) -> Refs {
    try translating { () throws(StoreError) in try store.refs.read() }
  }

  /// Changes `refs` in one step; nothing is written when `change` throws.
  func updateRefs<Result>(_ change: (inout Refs) throws(RepositoryError) -> Result) throws(RepositoryError) -> Result {
    var failure: RepositoryError?
    do throws(StoreError) {
      try store.checkLock()
      let result = try store.refs.update(waiting: wait()) { (refs) throws(StoreError) in
        do throws(RepositoryError) {
          return try change(&refs)
        } catch {
          failure = error
          throw .cancelled
        }
      }.result
      store.backUpConfig()
      return result
    } catch {
      throw failure ?? RepositoryError(error)
    }
  }

  /// How long locks are waited for. `monitor` hears of it and can end it; without one that listens, that of the repository.
  func wait(_ monitor: (any Monitor)? = nil) -> LockWait {
    if let monitor, !(monitor is SilentMonitor) { return LockWait(seconds: lockWait, hearing: monitor) }
    return LockWait(seconds: lockWait, hearing: self.monitor)
  }

  /// The lock of a save: others may save beside it, nobody restores or collects garbage.
  func lockForSaving(_ monitor: (any Monitor)? = nil) throws(RepositoryError) -> FileLock {
    try checkConfig()
    sweepLeftovers()
    try confirmPacks(monitor)
    let lock = try translating { () throws(StoreError) in try store.lock(.shared, waiting: wait(monitor)) }
    try checkNoPendingRestore(try readRefs())
    return lock
  }

  /// The lock of what moves or removes: nobody else works with the store.
  /// `needsConfig`: false for what does not go by the config.
  func lockAlone(_ monitor: (any Monitor)? = nil, needsConfig: Bool = true) throws(RepositoryError) -> FileLock {
    if needsConfig { try checkConfig() }
    let lock = try translating { () throws(StoreError) in try store.lock(.exclusive, waiting: wait(monitor)) }
    for pack in try translating({ () throws(StoreError) in try store.confirmPacks() }) {
      notice(
        "packs/\(pack.id.short)….pack was saved with --no-sync and did not survive a power cut: \(pack.reason); "
          + "moved to damaged/ of the store, and `memento verify` names what is hurt")
    }
    return lock
  }

  /// What was put there without flushing it, before the machine was started anew, is not relied upon before it was read.
  private func confirmPacks(_ monitor: (any Monitor)?) throws(RepositoryError) {
    guard try translating({ () throws(StoreError) in try store.hasUnconfirmedPacks() }) else { return }
    _ = try lockAlone(monitor)
  }

  func lockForReading(_ monitor: (any Monitor)? = nil) throws(RepositoryError) -> FileLock {
    try translating { () throws(StoreError) in try store.lock(.shared, waiting: wait(monitor)) }
  }

  /// The same if it can be had at once; nil otherwise.
  func lockForReadingNow() throws(RepositoryError) -> FileLock? {
    do throws(StoreError) {
      return try store.lock(.shared, waiting: 0)
    } catch {
      if case .locked = error { return nil }
      throw RepositoryError(error)
    }
  }

  /// Reads without a lock, so that nobody who lists or compares waits for a writer. What was deleted and collected while it
  /// was read looks like damage: only what is missing under the lock, too, is.
  func withoutWaiting<Result>(_ body: () throws(RepositoryError) -> Result) throws(RepositoryError) -> Result {
    do throws(RepositoryError) {
      return try body()
    } catch {
      guard error.code == .damaged else { throw error }
    }
    let lock = try lockForReading()
    let result = try body()
    _ = consume lock
    return result
  }

  /// Removes what killed processes left in tmp/, when nobody else is at work.
  private func sweepLeftovers() {
    // Refs are read under the lock: what another process stages after a look without it is not left over. Whoever saves
    // goes on without the sweep; the next save tries again.
    guard store.folder.hasLeftovers, let lock = try? store.lock(.exclusive, waiting: 0),
      let refs = try? store.refs.read()
    else { return }
    sweepStaging(pending: refs.pending)
    store.folder.sweep(keeping: refs.pending.map { Array($0.staging.utf8) })
    _ = consume lock
  }

  func checkNoPendingRestore(_ refs: Refs) throws(RepositoryError) {
    if refs.pending == nil { return }
    throw RepositoryError(
      .restorePending, "a restore was interrupted")
  }

  /// Whether a name may be given, as far as the names in use say.
  func checkName(_ name: String, noClobber: Bool, in refs: Refs) throws(RepositoryError) {
    if try isInUse(name, noClobber: noClobber, in: refs) { return }
    try checkSpelling(name, in: refs)
  }

  /// The same for many names, with one look at those in use; nor may two of them look alike.
  func checkNames(_ names: [String], noClobber: Bool, in refs: Refs) throws(RepositoryError) {
    var new: [String] = []
    for name in names where try !isInUse(name, noClobber: noClobber, in: refs) { new.append(name) }
    if new.count < 2 {
      if let name = new.first { try checkSpelling(name, in: refs) }
      return
    }
    var spellings: [String: String] = [:]
    for state in refs.states { spellings[state.name.lowercased()] = state.name }
    for name in new {
      guard let other = spellings.updateValue(name, forKey: name.lowercased()), !other.utf8.elementsEqual(name.utf8)
      else { continue }
      throw RepositoryError(name: name, looksLike: other)
    }
  }

  private func isInUse(_ name: String, noClobber: Bool, in refs: Refs) throws(RepositoryError) -> Bool {
    guard let id = refs[name] else { return false }
    guard noClobber else { return true }
    throw RepositoryError(
      .nameInUse, "the name \"\(name)\" is in use (\(id.short))", reason: .nameIsKept)
  }

  /// Refuses a new name that a reader would take for one that is in use.
  func checkSpelling(_ name: String, in refs: Refs) throws(RepositoryError) {
    let spelling = StateName.Spelling(name)
    guard let other = refs.states.first(where: { spelling.isConfusable(with: $0.name) })
    else { return }
    throw RepositoryError(name: name, looksLike: other.name)
  }

  /// Gives a snapshot its name, and changes `refs` in the same step. False, with nothing written, when the name no longer
  /// means what the snapshot says it replaces, or when `change` says so: another save was quicker, and would be missing from
  /// the name's history.
  func nameSaved(
    _ id: ObjectID, _ record: SnapshotRecord, _ options: SaveOptions, _ change: (inout Refs) -> Bool = { _ in true }
  ) throws(RepositoryError) -> Bool {
    var isOvertaken = false
    do throws(RepositoryError) {
      try updateRefs { (refs) throws(RepositoryError) in
        if let name = options.name {
          try checkName(name, noClobber: options.noClobber, in: refs)
          isOvertaken = refs[name] != record.replaces
          if isOvertaken { throw .cancelled }
          refs[name] = id
        }
        isOvertaken = !change(&refs)
        if isOvertaken { throw .cancelled }
      }
      return true
    } catch {
      if isOvertaken { return false }
      throw error
    }
  }

  /// Whether a snapshot is there, which nothing promises; its pack is not read.
  func isStored(_ id: ObjectID) throws(RepositoryError) -> Bool {
    try translating { () throws(StoreError) in try store.index.contains(id) }
  }

  func record(of id: ObjectID?) throws(RepositoryError) -> (id: ObjectID, record: SnapshotRecord)? {
    guard let id else { return nil }
    return try translating { () throws(StoreError) in (id, try SnapshotRecord.read(id, from: store)) }
  }

  /// The snapshot at the position. Nil when it is damaged, too: that must keep nobody from saving what is there, or from
  /// going to another state.
  func recordAtPosition(_ refs: Refs) throws(RepositoryError) -> (id: ObjectID, record: SnapshotRecord)? {
    do throws(RepositoryError) {
      return try record(of: refs.timeline.current?.snapshot)
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  func journalEntry(
    _ operation: String, snapshot: ObjectID?, name: String?, formerName: String? = nil, at time: Timestamp
  ) -> JournalEntry {
    JournalEntry(
      time: time, user: Host.userName(), operation: operation, snapshot: snapshot, name: name, formerName: formerName)
  }

  func journal(_ operation: String, snapshot: ObjectID?, name: String?, at time: Timestamp) {
    journal([journalEntry(operation, snapshot: snapshot, name: name, at: time)])
  }

  func journal(_ entries: [JournalEntry]) {
    Journal(store.folder).append(entries)
  }
}

extension RepositoryError {
  fileprivate init(name: String, looksLike other: String) {
    self.init(
      .invalidName, "the name \"\(name)\" looks like the state \"\(other)\" that exists",
      reason: .nameLooksAlike)
  }
}
