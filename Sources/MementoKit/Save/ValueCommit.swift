// Gives stored values their names: writes the records and packs, and one commit of `refs` for all values.

internal import MementoStore
internal import MementoSystem

/// A value whose content is in the unfinished packs.
struct StoredValue {
  var name: String
  var message: String?
  var content: SizedContent
}

struct ValueCommit {
  let repository: Repository
  let writer: ObjectWriter
  let packs: PackWriter

  /// Commits all values and deletions, or nothing. Returns the records in the order of the values. `isDryRun` writes
  /// nothing.
  func run(
    _ values: [StoredValue], deleting: [String] = [], noClobber: Bool = false, isDryRun: Bool = false,
    holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> [StoredSnapshot] {
    if isDryRun { return try records(values, isDryRun: true) }
    let known = StoredSample(repository, of: writer.known?.ids ?? [])
    let saved = try known.read { () throws(RepositoryError) in
      var saved = try records(values, isDryRun: false)
      while try !name(saved, deleting: deleting, noClobber: noClobber, holding: lock) {
        saved = try records(values, isDryRun: false)
      }
      return saved
    }
    Journal(repository.store.folder).append(
      saved.map {
        JournalEntry(
          time: $0.record.time, user: $0.record.user, operation: "save", snapshot: $0.id, name: $0.record.name)
      })
    return saved
  }

  private func records(
    _ values: [StoredValue], isDryRun: Bool
  ) throws(RepositoryError) -> [StoredSnapshot] {
    let refs = try repository.readRefs()
    let user = Host.userName()
    let host = Host.name()
    let time = Clock.now()
    return try translating { () throws(StoreError) in
      var saved: [StoredSnapshot] = []
      for value in values {
        let record = SnapshotRecord(
          body: .value(value.content), files: 1, bytes: value.content.size, parent: nil, replaces: refs[value.name],
          time: time, user: user, host: host, name: value.name, message: value.message, changes: ChangeCounts(),
          isComplete: true)
        saved.append(StoredSnapshot(isDryRun ? .zero : try writer.storeMeta(record.encoded()), record))
      }
      if !isDryRun {
        try writer.flush()
        try packs.finish()
      }
      return saved
    }
  }

  /// Returns false and writes nothing when a name means another snapshot than its record replaces. Then another save
  /// was faster, and this one must not hide it from the history of the name.
  private func name(
    _ saved: [StoredSnapshot], deleting: [String], noClobber: Bool, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> Bool {
    try repository.updateRefsIfWanted(holding: lock) { (refs) throws(RepositoryError) in
      try repository.checkNames(saved.compactMap(\.record.name), noClobber: noClobber, in: refs)
      for snapshot in saved {
        if let name = snapshot.record.name, refs[name] != snapshot.record.replaces { return false }
      }
      refs.states.set(
        saved.compactMap { (snapshot) in snapshot.record.name.map { ($0, snapshot.id) } } + deleting.map { ($0, nil) })
      return true
    }
  }
}
