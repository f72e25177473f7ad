// A save from the lock to the summary: walk and store, compare with the position, make the record, flush, and move the
// name and the timeline.

internal import MementoStore
internal import MementoSystem

struct SaveOperation {
  let repository: Repository
  let options: SaveOptions
  let monitor: any Monitor

  private var store: Store { repository.store }

  func run() throws(RepositoryError) -> SaveSummary {
    if let name = options.name { try StateName.validate(name) }
    let lock = try repository.lockForSaving(monitor, changes: !options.isDryRun)
    let refs = try repository.readRefs()
    if let name = options.name { try repository.checkName(name, noClobber: options.noClobber, in: refs) }
    monitor.begin(options.isDryRun ? .scanning : .saving)
    let rules = try repository.rules(options.ignoring, keepingEarlier: false)
    let parent = try repository.recordAtPosition(refs)
    if let parent { monitor.expect(files: parent.record.files) }
    let walk = try FolderWalk(
      repository, monitor: monitor, storing: !options.isDryRun, useCache: !options.rehash,
      rules: rules, growth: growthGuard(since: parent?.record, rules))
    do throws(RepositoryError) {
      let tree = try walk.run()
      return try record(tree, since: parent, walk, refs, holding: lock)
    } catch {
      var error = error
      if error.code == .cancelled, walk.keepStored() { error.reason = .storedContentKept } else { walk.discard() }
      throw error
    }
  }

  /// What ends a save that finds too much. Nil where nothing is too much.
  private func growthGuard(since before: SnapshotRecord?, _ rules: WalkRules) -> GrowthGuard? {
    if !options.asksFirst || options.isDryRun { return nil }
    let free = store.folder.freeSpace()
    let limits = repository.folderConfig.growth.within(free)
    if limits == GrowthLimits(files: nil, bytes: nil) { return nil }
    let known = (before?.files ?? 0, before?.bytes ?? 0)
    return GrowthGuard(limits, known: known) { [repository, monitor] in
      do throws(RepositoryError) {
        var growth = try FolderCensus(repository, rules, monitor: monitor).run(since: before)
        growth.free = free
        return monitor.confirm(growth) ? nil : RepositoryError(tooLarge: growth)
      } catch {
        return error
      }
    }
  }

  private func record(
    _ tree: ArchivedTree, since parent: StoredSnapshot?, _ walk: FolderWalk, _ refs: Refs,
    holding lock: borrowing StoreLock<ReadsFolder>
  ) throws(RepositoryError) -> SaveSummary {
    let same = try parent.flatMap { (parent) throws(RepositoryError) in
      try isUnchanged(tree, since: parent.record) ? parent : nil
    }
    if let same, options.name == nil, options.message == nil {
      var summary = try keepPosition(same, walk, tree)
      summary.listed = options.listing.map { _ in ChangeList() }
      return summary
    }
    var record = try walk.record(tree, since: parent)
    record.name = options.name
    record.message = options.message
    record.replaces = options.name.flatMap { refs[$0] }
    let listed = try list(tree, since: parent, walk)
    if options.isDryRun {
      var summary = summary(.zero, record, walk, tree, isCommitted: false)
      summary.listed = listed
      return summary
    }
    let id = try walk.store(record)
    let isNamed = try StoredSample(repository, of: parent?.record.tree).read { () throws(RepositoryError) in
      try walk.finishPacks()
      return try repository.nameSaved(id, record, options, holding: lock) {
        addStep(id, record, same: same?.id, to: &$0.timeline)
      }
    }
    guard isNamed else {
      // Another save was faster: the name or the position is no longer what the record says. A new record is made.
      let refs = try repository.readRefs()
      return try self.record(tree, since: try repository.recordAtPosition(refs), walk, refs, holding: lock)
    }
    walk.finishCache()
    let unkept = keepRules()
    repository.journal("save", snapshot: id, name: options.name, at: record.time)
    var summary = summary(id, record, walk, tree, isCommitted: true)
    summary.problems += unkept
    summary.listed = listed
    return summary
  }

  /// The changes since the snapshot at the position, if the options want them. When that snapshot is damaged, the folder
  /// can still be saved, and all that there is counts as added.
  private func list(
    _ tree: ArchivedTree, since parent: StoredSnapshot?, _ walk: FolderWalk
  ) throws(RepositoryError) -> ChangeList? {
    guard let listing = options.listing else { return nil }
    do throws(RepositoryError) {
      return try ChangeList(walk.diff, from: parent?.record.tree, to: tree.tree, listing)
    } catch {
      guard error.isDamage else { throw error }
    }
    return try ChangeList(walk.diff, from: nil, to: tree.tree, listing)
  }

  /// Stores the rules that this save was given, and drops earlier ones. This follows the commit, which does not depend
  /// on it.
  private func keepRules() -> [Problem] {
    do throws(RepositoryError) {
      try PersistedRules(repository.worktree).replace(
        with: options.ignoring == IgnoreOptions() ? [] : [RuleSet(options.ignoring)])
      return []
    } catch {
      let problem = Problem(
        path: repository.storePath.appending(PersistedRules.name),
        message: "\(error.message); until the next save the rules of an earlier command count")
      monitor.report(problem)
      return [problem]
    }
  }

  /// The folder equals the snapshot at the position, and the user gave neither name nor message. So no snapshot and no
  /// step is made. Saves of an unchanged folder then neither fill the timeline nor drop what can be redone.
  private func keepPosition(
    _ same: StoredSnapshot, _ walk: FolderWalk, _ tree: ArchivedTree
  ) throws(RepositoryError) -> SaveSummary {
    try walk.finishPacks(durably: true)
    walk.finishCache()
    let unkept = options.isDryRun ? [] : keepRules()
    var record = same.record
    record.replaces = nil
    record.changes = ChangeCounts()
    var summary = summary(same.id, record, walk, tree, isCommitted: !options.isDryRun)
    summary.isUnchanged = true
    summary.problems += unkept
    return summary
  }

  /// Adds the step of a save. `same`: the snapshot at the position, if it has the same tree; the new step then replaces
  /// its step. False when the position has moved since.
  private func addStep(
    _ id: ObjectID, _ record: SnapshotRecord, same: ObjectID?, to timeline: inout FolderTimeline
  ) -> Bool {
    var step = TimelineStep(operation: .save, time: record.time, snapshot: id)
    step.story = options.command.map { .run($0) }
    guard let same else {
      timeline.append(step)
      return true
    }
    guard let current = timeline.current, current.snapshot == same else { return false }
    if step.story == nil { step.story = current.story }
    timeline.replaceCurrent(with: step)
    return true
  }

  /// Whether a record of this tree would equal `record`. Incomplete ones are equal when they lack the same paths.
  private func isUnchanged(_ tree: ArchivedTree, since record: SnapshotRecord) throws(RepositoryError) -> Bool {
    guard try repository.isSaved(tree, in: record), tree.isComplete == record.isComplete else { return false }
    if tree.isComplete { return true }
    do throws(RepositoryError) {
      let missing = try SnapshotLists(repository).unrecorded(of: record)
      return missing.filter { !$0.isNote } == tree.problems.filter { !$0.isNote }
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }

  private func summary(
    _ id: ObjectID, _ record: SnapshotRecord, _ walk: FolderWalk, _ tree: ArchivedTree, isCommitted: Bool
  ) -> SaveSummary {
    SaveSummary(
      snapshot: Snapshot(id, record), replaced: record.replaces.map { SnapshotID($0) }, changes: record.changes,
      bytesRead: tree.bytesRead, bytesStored: walk.bytesStored, problems: tree.problems, isCommitted: isCommitted)
  }
}

extension RepositoryError {
  /// The folders that have grown the most are in `problems`.
  fileprivate init(tooLarge growth: FolderGrowth) {
    let isFirst = growth.newFiles == growth.files && growth.newBytes == growth.bytes
    self.init(
      .tooLarge,
      "nothing was saved: the folder has \(growth.newFiles) files and \(growth.newBytes) bytes"
        + (isFirst ? "" : " more than the last save"))
    problems = growth.largest.map {
      Problem(
        path: $0.path,
        message: "grown by \($0.files) files and \($0.bytes) bytes\($0.isAlone ? ", without its folders" : "")",
        isNote: false)
    }
  }
}
