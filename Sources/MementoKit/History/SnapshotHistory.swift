// Lists the history of the folder.

internal import MementoStore
internal import MementoSystem

struct SnapshotHistory {
  private let repository: Repository

  init(_ repository: Repository) {
    self.repository = repository
  }

  /// Reads one record per entry. Reads trees only where paths or changes are asked for, or where the record does not
  /// hold the counts. Stops at the oldest entry that is returned.
  func log(_ options: LogOptions) throws(RepositoryError) -> [LogEntry] {
    let refs = try repository.readRefs()
    let records = RecordReader(repository)
    let trees = RecentTrees(over: repository.store)
    let start = try options.from.map { (revision) throws(RepositoryError) in
      try RevisionResolver(repository, refs).resolve(revision).id
    }
    var steps = HistorySteps(refs, from: start, records)
    var left = options.showsAll ? try UnlistedSnapshots(repository, refs) : nil
    let elsewhere = options.showsAll ? Set(refs.forks.flatMap { $0.timeline.steps.map(\.snapshot) }) : []
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
        // Parents are older than their children, so all entries after this one are too old. A step has the time that
        // the clock showed, which may have jumped.
        if step.isAncestor, left == nil { break }
        continue
      }
      if let until = options.until?.timestamp, step.time > until { continue }
      let mark: LogMark? = isLeft ? (elsewhere.contains(step.snapshot) ? .elsewhere : .undone) : nil
      guard let entry = try entry(for: step, mark, options, records, trees) else { continue }
      entries.append(entry)
    }
    addNames(to: &entries, refs, left)
    return entries
  }

  /// The entry of a step; nil when none of the paths changed in it. `mark`: why it is not on the timeline.
  private func entry(
    for step: HistoryStep, _ mark: LogMark?, _ options: LogOptions, _ records: RecordReader,
    _ trees: RecentTrees
  ) throws(RepositoryError) -> LogEntry? {
    let record = try records.record(step.snapshot)
    var entry = LogEntry(
      operation: HistoryOperation(step.operation), time: SnapshotTime(step.time), isCurrent: step.isCurrent, names: [],
      snapshot: Snapshot(step.snapshot, record))
    entry.isTakenBack = step.isTakenBack
    switch step.story {
    case .run(let command): entry.command = command
    case .restored(let state): entry.restored = state
    case nil: break
    }
    entry.before = (step.before ?? record.parent).map { SnapshotID($0) }
    entry.counts = try counts(of: step, record, records, trees)
    if let mark, record.tree != nil { entry.marks.append(mark) }
    let isEverything = options.paths.isEmpty && options.pathspecs.isEmpty
    if isEverything, !options.withChanges { return entry }
    guard let tree = record.tree else { return isEverything ? entry : nil }
    let comparison = PathComparison(
      source: trees, paths: options.paths, pathspecs: options.pathspecs,
      isCancelled: { [monitor = repository.monitor] in monitor.isCancelled })
    let before = try (step.before ?? record.parent).map { (id) throws(RepositoryError) in try records.kept(id)?.tree }
    if let before, before == nil, isEverything { return entry }
    let changes = try translating { () throws(StoreError) in
      try comparison.changes(from: before.flatMap { $0 }, to: tree, all: options.withChanges)
    }
    if !isEverything, changes.isEmpty { return nil }
    if options.withChanges { entry.changes = changes }
    return entry
  }

  /// How many entries the step changed in the folder. The record of a save holds the counts. They do not fit a restore,
  /// or a step whose place an unchanged save has taken: the snapshot may have been made from another state. Then the
  /// two trees are compared, which reads only what differs. Returns nil when they cannot be read any more; the step is
  /// listed anyway.
  private func counts(
    of step: HistoryStep, _ record: SnapshotRecord, _ records: RecordReader, _ trees: RecentTrees
  ) throws(RepositoryError) -> ChangeCounts? {
    guard let before = step.before, let tree = record.tree else { return record.changes }
    if before == record.parent, step.operation != .restore { return record.changes }
    do throws(RepositoryError) {
      guard let earlier = try records.kept(before), let old = earlier.tree else { return nil }
      // The step went back to the parent of the state before it. Its counts are those of that state, the other way
      // round.
      if let parent = earlier.parent, try records.kept(parent)?.tree == tree {
        let changes = earlier.changes
        return ChangeCounts(added: changes.removed, modified: changes.modified, removed: changes.added)
      }
      return try translating { () throws(StoreError) in
        try TreeDiff(old: trees, new: trees, monitor: repository.monitor).counts(
          from: old, to: tree)
      }
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  private func addNames(to entries: inout [LogEntry], _ refs: Refs, _ left: UnlistedSnapshots?) {
    let names = refs.states.names(of: entries.map(\.snapshot.id.object))
    for index in entries.indices {
      let id = entries[index].snapshot.id.object
      entries[index].names = names[id] ?? []
      entries[index].note = refs.notes[id]
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
