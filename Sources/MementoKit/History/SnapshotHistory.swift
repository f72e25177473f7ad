// Lists the history of the folder.

internal import MementoStore
internal import MementoSystem

struct SnapshotHistory {
  /// So many steps are looked at first when paths are asked for, and at most so many at once.
  private static let firstBatch = 32
  private static let mostBatch = 1024
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
    var steps = try ListedSteps(repository, refs, from: start, options, records)
    let probe = probe(options)
    let limit = options.limit ?? .max
    var batch = min(SnapshotHistory.firstBatch, max(1, limit))
    var entries: [LogEntry] = []
    while entries.count < limit {
      var candidates: [ListedStep] = []
      // An error counts only when it is the turn of its step.
      var failure: RepositoryError?
      do throws(RepositoryError) {
        while candidates.count < (probe == nil ? 1 : batch), let step = try steps.next() { candidates.append(step) }
      } catch {
        failure = error
      }
      if candidates.isEmpty, failure == nil { break }
      batch = min(batch * 4, SnapshotHistory.mostBatch)
      if let probe { candidates = try changing(candidates, probe, records) }
      for step in candidates where entries.count < limit {
        guard let entry = try entry(for: step, options, records, trees) else { continue }
        entries.append(entry)
      }
      if let failure, entries.count < limit { throw failure }
    }
    addNames(to: &entries, refs, steps.left)
    return entries
  }

  /// What looks at the paths before trees are compared; nil when these are none, or pathspecs.
  private func probe(_ options: LogOptions) -> PathProbe? {
    guard options.pathspecs.isEmpty, !options.paths.isEmpty, !options.paths.contains(where: \.components.isEmpty) else {
      return nil
    }
    return PathProbe(options.paths, in: repository.store, repository.worktree.savedChanges()) {
      [monitor = repository.monitor] in monitor.isCancelled
    }
  }

  /// Those of the steps that may have changed something at the paths, also those of which something cannot be read.
  private func changing(
    _ steps: [ListedStep], _ probe: PathProbe, _ records: RecordReader
  ) throws(RepositoryError) -> [ListedStep] {
    let findings = try translating { () throws(StoreError) in try probe.look(at: steps.map(\.step)) }
    var candidates: [ListedStep] = []
    var known: [ObjectID: SnapshotRecord] = [:]
    for (step, finding) in zip(steps, findings) where finding.differs != false {
      candidates.append(step)
      candidates[candidates.count - 1].differs = finding.differs ?? false
      known[step.step.snapshot] = finding.record
    }
    records.keep(known)
    return candidates
  }

  /// The tree of the state before a step. Nil when there was none before, or none that is kept; the inner nil stands for one
  /// that has no tree.
  private func earlierTree(
    _ step: HistoryStep, _ record: SnapshotRecord, _ records: RecordReader
  ) throws(RepositoryError) -> ObjectID?? {
    try (step.before ?? record.parent).map { (id) throws(RepositoryError) in try records.kept(id)?.tree }
  }

  /// The entry of a step; nil when none of the paths changed in it.
  private func entry(
    for listed: ListedStep, _ options: LogOptions, _ records: RecordReader, _ trees: RecentTrees
  ) throws(RepositoryError) -> LogEntry? {
    let step = listed.step
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
    if let mark = listed.mark, record.tree != nil { entry.marks.append(mark) }
    let isEverything = options.paths.isEmpty && options.pathspecs.isEmpty
    if isEverything, !options.withChanges { return entry }
    guard let tree = record.tree else { return isEverything ? entry : nil }
    if listed.differs, !options.withChanges { return entry }
    let comparison = PathComparison(
      source: trees, paths: options.paths, pathspecs: options.pathspecs,
      isCancelled: { [monitor = repository.monitor] in monitor.isCancelled })
    let before = try earlierTree(step, record, records)
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
