// undo and redo: the position moves along the timeline, and the folder follows. Unsaved changes become a step of their own
// first, so the first undo takes just them back and redo brings them again.

internal import MementoStore
internal import MementoSystem

struct TimelineMove {
  let repository: Repository
  let isDryRun: Bool
  let monitor: any Monitor

  func undo(_ count: Int) throws(RepositoryError) -> MoveSummary {
    try run(by: -count)
  }

  func redo(_ count: Int) throws(RepositoryError) -> MoveSummary {
    try run(by: count)
  }

  private func run(by offset: Int) throws(RepositoryError) -> MoveSummary {
    guard offset != 0 else { throw RepositoryError(.invalidArgument, "a number of steps is 1 or more") }
    let lock = try repository.lockAlone()
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    try check(refs.timeline, offset, hasUnsaved: true)
    monitor.begin(.saving)
    let walk = try FolderWalk(repository, monitor: monitor, storing: !isDryRun)
    do throws(RepositoryError) {
      let now = try walk.run()
      let before = try repository.recordAtPosition(refs)
      var isSaved = try repository.isSaved(now, in: before?.record)
      if offset > 0, !isSaved {
        isSaved = try isLeftAlone(now, before?.record, from: refs.timeline, offset, walk.source)
      }
      if offset > 0, !isSaved {
        throw RepositoryError(
          .timelineEnd, "nothing to redo: the folder has changed since it was last saved or restored",
          advice: "`memento log` shows the steps; `memento restore ID` goes to any of them")
      }
      var guardRecord: (id: ObjectID, record: SnapshotRecord)?
      var timeline = refs.timeline
      if !isSaved {
        let record = try walk.record(now, since: before)
        let id = try walk.store(record)
        guardRecord = (id, record)
        timeline.append(TimelineStep(operation: .guarded, time: record.time, snapshot: id))
      }
      try check(timeline, offset, hasUnsaved: false)
      try walk.finishPacks()
      let summary = try move(timeline, offset, guardRecord, before, now, walk)
      walk.discard()
      _ = consume lock
      return summary
    } catch {
      walk.discard()
      throw error
    }
  }

  /// Whether all that is not saved is what the snapshot could not record and the target has exactly so: an undo had to leave
  /// it alone, and a redo will. Else there would be no way forward again.
  private func isLeftAlone(
    _ now: ArchivedTree, _ before: SnapshotRecord?, from timeline: MementoStore.Timeline, _ offset: Int,
    _ source: any MetaSource
  ) throws(RepositoryError) -> Bool {
    guard let before, let tree = before.tree, let position = timeline.position,
      let target = try repository.record(of: timeline.steps[position + offset].snapshot)?.record.tree
    else { return false }
    let paths = try SnapshotLists(repository).unrecorded(of: before).map(\.path)
    if paths.isEmpty { return false }
    var known = now
    known.tree = tree
    guard try repository.isSaved(known, in: before) else { return false }
    let unrecorded = PathFilter(paths)
    let store = repository.store
    return try translating { () throws(StoreError) in
      var folders = [BytePath("")]
      var isLeft = true
      try TreeDiff(old: store, new: source).walk(from: tree, to: now.tree, label: 0) {
        (folder, old, new) throws(StoreError) in
        guard isLeft, let name = (new ?? old)?.name else { return nil }
        let path = folders[folder].appending(name)
        if unrecorded.contains(path.bytes) {
          isLeft = try new == TreePath.entry(path, in: target, store)
          return nil
        }
        guard let old, let new, old.isDirectory, new.isDirectory, old.metadata == new.metadata else {
          isLeft = false
          return nil
        }
        folders.append(path)
        return folders.count - 1
      }
      return isLeft
    }
  }

  private func move(
    _ timeline: MementoStore.Timeline, _ offset: Int, _ guardRecord: (id: ObjectID, record: SnapshotRecord)?,
    _ before: (id: ObjectID, record: SnapshotRecord)?, _ now: ArchivedTree, _ walk: FolderWalk
  ) throws(RepositoryError) -> MoveSummary {
    guard let position = timeline.position else { throw end(offset, 0) }
    let index = position + offset
    guard let target = try repository.record(of: timeline.steps[index].snapshot) else { throw end(offset, 0) }
    let restore = PreparedRestore(
      repository: repository, monitor: monitor, target: (target.id, target.record),
      shown: (target.id, target.record), guardRecord: guardRecord, before: (guardRecord ?? before)?.id, now: now,
      source: walk.source, links: nil, operation: offset < 0 ? "undo" : "redo",
      position: index)
    let summary = isDryRun ? try restore.plan() : try restore.run { walk.finishCache() }
    // What lies between the two positions: undone the newest first, redone the oldest first.
    let passed =
      offset < 0
      ? Array(timeline.steps[(index + 1)...position].reversed()) : Array(timeline.steps[(position + 1)...index])
    var steps: [MovedStep] = []
    for step in passed {
      let isGuard = step.snapshot == guardRecord?.id
      let name = isGuard ? nil : try repository.record(of: step.snapshot)?.record.name
      steps.append(
        MovedStep(
          operation: step.operation.rawValue, name: name, snapshot: SnapshotID(step.snapshot), isUnsaved: isGuard))
    }
    let names = try repository.readRefs().names(of: [target.id])[target.id] ?? []
    return MoveSummary(restore: summary, steps: steps, names: names)
  }

  /// Whether there are so many steps that way; with unsaved changes there may be one more to undo.
  private func check(_ timeline: MementoStore.Timeline, _ offset: Int, hasUnsaved: Bool) throws(RepositoryError) {
    guard let position = timeline.position else { throw end(offset, 0) }
    let available = offset < 0 ? position + (hasUnsaved ? 1 : 0) : timeline.steps.count - 1 - position
    if available < abs(offset) { throw end(offset, hasUnsaved && offset < 0 ? position : available) }
  }

  private func end(_ offset: Int, _ available: Int) -> RepositoryError {
    let word = offset < 0 ? "undo" : "redo"
    if available <= 0 { return RepositoryError(.timelineEnd, "nothing to \(word)") }
    return RepositoryError(
      .timelineEnd, "only \(available) \(available == 1 ? "step" : "steps") to \(word)",
      advice: "`memento log` shows the steps")
  }
}
