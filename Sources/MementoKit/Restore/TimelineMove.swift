// undo and redo: the position moves along the timeline, and the folder follows. Unsaved changes become a step of their own
// first, so the first undo takes just them back and redo brings them again.
//
// Steps that only changed some paths, those of restores of paths, are undone and redone in these paths alone. What is
// unsaved elsewhere is neither taken back nor saved: it is as if the rest of the folder were not there.

internal import MementoStore
internal import MementoSystem

struct TimelineMove {
  let repository: Repository
  /// Patterns in gitignore's grammar: what they match is left as it is.
  var kept: [[UInt8]] = []
  let isDryRun: Bool
  var asRecorded = false
  let monitor: any Monitor

  func undo(_ count: Int) throws(RepositoryError) -> MoveSummary {
    try run(by: -count)
  }

  func redo(_ count: Int) throws(RepositoryError) -> MoveSummary {
    try run(by: count)
  }

  private func run(by offset: Int) throws(RepositoryError) -> MoveSummary {
    guard offset != 0 else { throw RepositoryError(.invalidArgument, "a number of steps is 1 or more") }
    let lock = try repository.lockAlone(monitor)
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    try check(refs.timeline, offset, hasUnsaved: true)
    monitor.begin(.scanning)
    let walk = try FolderWalk(repository, monitor: monitor, storing: !isDryRun)
    do throws(RepositoryError) {
      let summary = try move(by: offset, refs, walk)
      walk.discard()
      _ = consume lock
      return summary
    } catch {
      walk.discard()
      throw error
    }
  }

  private func move(by offset: Int, _ refs: Refs, _ walk: FolderWalk) throws(RepositoryError) -> MoveSummary {
    var now = try walk.run()
    let before = try repository.recordAtPosition(refs)
    var isSaved = try repository.isSaved(now, in: before?.record, walk)
    // Without unsaved changes the folder becomes exactly what it was, whatever the steps are about.
    let paths = isSaved || before == nil ? [] : TimelineMove.paths(of: refs.timeline, offset)
    var composer = try PartComposer(repository, walk, RestorePart(paths: paths, kept: kept)).withObstacles(in: now)
    var part = composer.part
    if !isSaved, !part.isWhole, let before {
      isSaved = try repository.isSaved(
        try composer.seen(now, on: before.record, takingTimes: false), in: before.record, walk)
    }
    if offset > 0, !isSaved {
      isSaved = try isLeftAlone(now, before?.record, from: refs.timeline, offset, walk.source)
    }
    if offset > 0, !isSaved {
      throw RepositoryError(
        .timelineEnd, "nothing to redo: the folder has changed since it was last saved or restored",
        reason: .changedFolder)
    }
    let target = try target(refs.timeline, offset, isSaved: isSaved)
    var aim = try composer.aim(target.record, in: now)
    let scope = try RestoreScope(repository: repository, walk: walk).folder(now, before: aim.tree)
    now = scope.now
    if !part.isWhole {
      composer = try composer.withObstacles(in: now)
      part = composer.part
      aim = try composer.aim(target.record, in: now)
    }
    var timeline = refs.timeline
    var guardRecord: (id: ObjectID, record: SnapshotRecord)?
    if !isSaved || scope.isObstructed {
      var seen = now
      if !part.isWhole, let before { seen = try composer.seen(now, on: before.record, takingTimes: true) }
      let record = try walk.record(seen, since: before)
      let id = try walk.store(record)
      guardRecord = (id, record)
      let step = TimelineStep(operation: .guarded, time: record.time, snapshot: id, paths: part.paths.map(\.bytes))
      // What is only saved because it is ignored and in the way counts as no step: the user has not seen it change.
      if isSaved { timeline.insert(step) } else { timeline.append(step) }
    }
    try walk.finishPacks()
    let isInserted = isSaved && guardRecord != nil
    let index = (timeline.position ?? 0) + offset - (isInserted && offset < 0 ? 1 : 0)
    guard timeline.steps.indices.contains(index) else { throw end(offset, 0) }
    var restore = PreparedRestore(
      repository: repository, monitor: monitor, target: target, shown: target, aim: aim, part: part,
      guardRecord: guardRecord, guardPaths: part.paths, before: (guardRecord ?? before)?.id, now: now,
      source: walk.source, rules: walk.rules, operation: offset < 0 ? "undo" : "redo", position: index,
      isGuardInserted: isInserted)
    restore.asRecorded = asRecorded
    let moved = isDryRun ? try restore.plan() : try restore.run { walk.finishCache() }
    return try summary(moved, at: target.id, timeline, index, guardRecord?.id)
  }

  /// The paths that a move of so many steps is about, when each of these steps is about paths; none otherwise. Where it takes
  /// back unsaved changes, too, these are of the same paths.
  private static func paths(of timeline: MementoStore.Timeline, _ offset: Int) -> [BytePath] {
    guard let position = timeline.position else { return [] }
    let passed =
      offset < 0
      ? timeline.steps[max(0, position + 1 + offset)...position]
      : timeline.steps[(position + 1)...min(position + offset, timeline.steps.count - 1)]
    if passed.contains(where: \.paths.isEmpty) { return [] }
    return passed.flatMap { $0.paths.map { BytePath($0) } }
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
      try TreeDiff(old: store, new: source, monitor: monitor).walk(from: tree, to: now.tree, label: 0) {
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

  /// The snapshot that is so many steps away, counted from where unsaved changes stand once they are a step.
  private func target(
    _ timeline: MementoStore.Timeline, _ offset: Int, isSaved: Bool
  ) throws(RepositoryError) -> (id: ObjectID, record: SnapshotRecord) {
    var planned = timeline
    if !isSaved { planned.append(TimelineStep(operation: .guarded, time: .distantPast, snapshot: .zero)) }
    try check(planned, offset, hasUnsaved: false)
    guard let target = try repository.record(of: planned.steps[(planned.position ?? 0) + offset].snapshot) else {
      throw end(offset, 0)
    }
    return target
  }

  private func summary(
    _ restore: RestoreSummary, at target: ObjectID, _ timeline: MementoStore.Timeline, _ index: Int,
    _ guarded: ObjectID?
  ) throws(RepositoryError) -> MoveSummary {
    let position = timeline.position ?? index
    // What lies between the two positions: undone the newest first, redone the oldest first.
    let passed =
      index < position
      ? Array(timeline.steps[(index + 1)...position].reversed()) : Array(timeline.steps[(position + 1)...index])
    var steps: [MovedStep] = []
    for step in passed {
      let isGuard = step.snapshot == guarded
      let name = isGuard ? nil : try repository.record(of: step.snapshot)?.record.name
      steps.append(
        MovedStep(
          operation: HistoryOperation(step.operation), name: name, snapshot: SnapshotID(step.snapshot),
          isUnsaved: isGuard))
    }
    let names = try repository.readRefs().states.names(of: target)
    return MoveSummary(restore: restore, steps: steps, names: names)
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
      reason: .fewerSteps)
  }
}
