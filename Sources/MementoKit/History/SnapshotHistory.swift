// Lists: the states by name, and the history of the folder.

internal import MementoStore
internal import MementoSystem

struct SnapshotHistory {
  private let repository: Repository

  init(_ repository: Repository) {
    self.repository = repository
  }

  /// The states by name. One that cannot be read keeps no other from being listed.
  func states() throws(RepositoryError) -> [ListedState] {
    let refs = try repository.readRefs()
    let current = refs.timeline.current?.snapshot
    let ids = Array(Set(refs.states.map(\.snapshot)))
    let snapshots = try translating { () throws(StoreError) in try read(ids) }
    return refs.states.map { state in
      var listed = ListedState(
        name: state.name, isCurrent: state.snapshot == current,
        snapshot: Snapshot(unreadable: SnapshotID(state.snapshot)))
      switch snapshots[state.snapshot] {
      case .success(let snapshot)?: listed.snapshot = snapshot
      case .failure(let error)?:
        listed.problem = RepositoryError(error).message
        listed.isNewer = error.isNewer
      case nil: break
      }
      return listed
    }
  }

  /// All at once, which is quick; one by one where one of them cannot be read.
  private func read(_ ids: [ObjectID]) throws(StoreError) -> [ObjectID: Result<Snapshot, StoreError>] {
    var result: [ObjectID: Result<Snapshot, StoreError>] = [:]
    let all: [[UInt8]]?
    do throws(StoreError) {
      all = try repository.store.read(ids)
    } catch {
      guard error.isDamage else { throw error }
      all = nil
    }
    for (index, id) in ids.enumerated() {
      do throws(StoreError) {
        let bytes: [UInt8]
        if let all { bytes = all[index] } else { bytes = try repository.store.read(id) }
        result[id] = .success(Snapshot(id, try SnapshotRecord.decode(bytes, id)))
      } catch {
        guard error.isDamage || error.isNewer else { throw error }
        result[id] = .failure(error)
      }
    }
    return result
  }

  /// Reads a record for each entry that is returned, and what was before it where changes are asked for; of what is older,
  /// nothing.
  func log(_ options: LogOptions) throws(RepositoryError) -> [LogEntry] {
    let refs = try repository.readRefs()
    let records = RecordReader(repository)
    let start = try options.from.map { (revision) throws(RepositoryError) in
      try RevisionResolver(repository, refs).resolve(revision).id
    }
    var steps = HistorySteps(refs, from: start, records)
    var left = options.showsAll ? try LeftBehind(repository, refs) : nil
    let limit = options.limit ?? .max
    var entries: [LogEntry] = []
    var pending: HistoryStep?
    while entries.count < limit {
      if pending == nil { pending = try steps.next() }
      var step = pending
      var isLeft = false
      if let found = try translating({ () throws(StoreError) in try left?.next(after: pending?.time) }) {
        step = found
        isLeft = true
      } else if let pending {
        left?.passed(pending.snapshot)
      }
      guard let step else { break }
      if !isLeft { pending = nil }
      if let since = options.since?.timestamp, step.time < since {
        // Parents are older than their children; steps are as old as the clock said.
        if step.isAncestor, left == nil { break }
        continue
      }
      if let until = options.until?.timestamp, step.time > until { continue }
      guard let entry = try entry(for: step, isLeft: isLeft, options, records) else { continue }
      entries.append(entry)
    }
    addNames(to: &entries, refs, left)
    return entries
  }

  /// Nil when none of the paths changed.
  private func entry(
    for step: HistoryStep, isLeft: Bool, _ options: LogOptions, _ records: RecordReader
  ) throws(RepositoryError) -> LogEntry? {
    let record = try records.record(step.snapshot)
    var entry = LogEntry(
      operation: HistoryOperation(step.operation), time: SnapshotTime(step.time), isCurrent: step.isCurrent, names: [],
      snapshot: Snapshot(step.snapshot, record))
    entry.counts = try counts(of: step, record, records)
    if isLeft, record.tree != nil { entry.marks.append(.undone) }
    if options.paths.isEmpty, !options.withChanges { return entry }
    guard let tree = record.tree else { return options.paths.isEmpty ? entry : nil }
    let comparison = PathComparison(
      source: repository.store, paths: options.paths,
      isCancelled: { [monitor = repository.monitor] in monitor.isCancelled })
    let before = try (step.before ?? record.parent).map { (id) throws(RepositoryError) in try records.kept(id)?.tree }
    if let before, before == nil, options.paths.isEmpty { return entry }
    let changes = try translating { () throws(StoreError) in
      try comparison.changes(from: before.flatMap { $0 }, to: tree, all: options.withChanges)
    }
    if !options.paths.isEmpty, changes.isEmpty { return nil }
    if options.withChanges { entry.changes = changes }
    return entry
  }

  /// What a step changed in the folder. The record of a save says so. A restore goes to a snapshot that may have been made
  /// when something else was before it, and so does the step whose place an unchanged save has taken: the trees are compared,
  /// of which only what differs is read. Nil when that cannot be read any more; the step itself is listed all the same.
  private func counts(
    of step: HistoryStep, _ record: SnapshotRecord, _ records: RecordReader
  ) throws(RepositoryError) -> ChangeCounts? {
    guard let before = step.before, let tree = record.tree else { return record.changes }
    if before == record.parent, step.operation != .restore { return record.changes }
    do throws(RepositoryError) {
      guard let earlier = try records.kept(before), let old = earlier.tree else { return nil }
      // Back to the folder before: what that record says, the other way round. No tree is read.
      if let parent = earlier.parent, try records.kept(parent)?.tree == tree {
        let changes = earlier.changes
        return ChangeCounts(added: changes.removed, modified: changes.modified, removed: changes.added)
      }
      return try translating { () throws(StoreError) in
        try TreeDiff(old: repository.store, new: repository.store, monitor: repository.monitor).counts(
          from: old, to: tree)
      }
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  private func addNames(to entries: inout [LogEntry], _ refs: Refs, _ left: LeftBehind?) {
    let names = refs.states.names(of: entries.map(\.snapshot.id.object))
    for index in entries.indices {
      let id = entries[index].snapshot.id.object
      entries[index].names = names[id] ?? []
      guard let left else { continue }
      entries[index].deletedNames = (left.deletedNames[id] ?? []).filter { !entries[index].names.contains($0) }
      if !entries[index].deletedNames.isEmpty {
        entries[index].marks.append(.deleted)
      } else if entries[index].snapshot.kind == .value, entries[index].names.isEmpty {
        entries[index].marks.append(.replaced)
      }
    }
  }
}
