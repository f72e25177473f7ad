// A save, from the lock to the summary, in one line: walk and store, compare with the position, record, make durable,
// move the name and the timeline.

internal import MementoStore
internal import MementoSystem

struct SaveOperation {
  let repository: Repository
  let options: SaveOptions
  let monitor: any Monitor

  private var store: Store { repository.store }

  func run() throws(RepositoryError) -> SaveSummary {
    if let name = options.name { try StateName.validate(name) }
    let lock = try repository.lockForSaving(monitor)
    let refs = try repository.readRefs()
    try repository.checkName(options.name, options, in: refs)
    monitor.begin(.saving)
    let walk = try FolderWalk(
      repository, monitor: monitor, storing: !options.isDryRun, useCache: !options.rehash,
      rules: repository.rules(options.ignoring, keepingEarlier: false))
    do throws(RepositoryError) {
      let tree = try walk.run()
      let summary = try record(tree, walk, refs)
      _ = consume lock
      return summary
    } catch {
      walk.discard()
      throw error
    }
  }

  private func record(_ tree: ArchivedTree, _ walk: FolderWalk, _ refs: Refs) throws(RepositoryError) -> SaveSummary {
    let parent = try repository.recordAtPosition(refs)
    if options.skipsUnchanged, options.name == nil, let parent, try isUnchanged(tree, since: parent.record) {
      try walk.finishPacks(forGood: true)
      walk.finishCache()
      var same = parent.record
      same.replaces = nil
      same.changes = ChangeCounts()
      return summary(parent.id, same, walk, tree, isCommitted: !options.isDryRun)
    }
    var record = try walk.record(tree, since: parent)
    record.name = options.name
    record.message = options.message
    record.replaces = options.name.flatMap { refs[$0] }
    if options.isDryRun {
      return summary(.zero, record, walk, tree, isCommitted: false)
    }
    var id = try walk.store(record)
    try walk.finishPacks()
    while try !repository.nameSaved(
      id, record, options, { $0.timeline.append(TimelineStep(operation: .save, time: record.time, snapshot: id)) })
    {
      let refs = try repository.readRefs()
      record.replaces = options.name.flatMap { refs[$0] }
      id = try walk.store(record)
      try walk.finishPacks()
    }
    walk.finishCache()
    // After the commit: without them, what was left out only shows up as an addition.
    try? KeptRules(store.folder).replace(with: options.ignoring == IgnoreOptions() ? [] : [RuleSet(options.ignoring)])
    repository.journal("save", snapshot: id, name: options.name, at: record.time)
    return summary(id, record, walk, tree, isCommitted: true)
  }

  /// A snapshot that lacks something is not the same as one that lacks something else.
  private func isUnchanged(_ tree: ArchivedTree, since record: SnapshotRecord) throws(RepositoryError) -> Bool {
    guard tree.isComplete, record.isComplete else { return false }
    return try repository.isSaved(tree, in: record)
  }

  private func summary(
    _ id: ObjectID, _ record: SnapshotRecord, _ walk: FolderWalk, _ tree: ArchivedTree, isCommitted: Bool
  ) -> SaveSummary {
    SaveSummary(
      snapshot: Snapshot(id, record), replaced: record.replaces.map { SnapshotID($0) }, changes: record.changes,
      bytesRead: tree.bytesRead, bytesStored: walk.bytesStored, problems: tree.problems, isCommitted: isCommitted)
  }
}
