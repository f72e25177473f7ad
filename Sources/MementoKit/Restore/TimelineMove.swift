// `undo` and `redo`: the target is another step of the timeline. Unsaved changes become a step of their own first. So
// the first undo takes only these changes back, and redo restores them.
//
// A step that restored only some paths is undone and redone in these paths alone. Unsaved changes elsewhere are neither
// taken back nor saved.

internal import MementoStore
internal import MementoSystem

struct TimelineMove {
  let repository: Repository
  /// Patterns in gitignore's grammar. Files that match stay as they are.
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
    let lock = try repository.lockForRestoring(monitor, changes: !isDryRun)
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    try check(refs.timeline, offset, hasUnsaved: true)
    let settings = RestoreSession.Settings(isDryRun: isDryRun, asRecorded: asRecorded, isStoring: !isDryRun)
    return try RestoreSession.begin(repository, refs, settings, monitor, holding: lock) {
      (session) throws(RepositoryError) in
      try move(by: offset, refs.timeline, &session, holding: lock)
    }
  }

  private func move(
    by offset: Int, _ timeline: FolderTimeline, _ session: inout RestoreSession,
    holding lock: borrowing StoreLock<ChangesFolder>
  ) throws(RepositoryError) -> MoveSummary {
    try session.compareWithPosition()
    // Without unsaved changes, the whole folder becomes the target, also when the steps concern only paths.
    let paths = session.isSaved || session.before == nil ? [] : TimelineMove.paths(of: timeline, offset)
    let part = RestorePart(paths: paths, kept: kept)
    try session.select(part, isIsolated: !part.isWhole, includesObstacles: true)
    try session.comparePartWithPosition()
    var isSaved = session.isSaved
    if offset > 0, !isSaved { isSaved = try isLeftAlone(session, timeline, offset) }
    if offset > 0, !isSaved {
      throw RepositoryError(
        .timelineEnd, "nothing to redo: the folder has changed since it was last saved or restored",
        reason: .changedFolder)
    }
    let target = try target(timeline, offset, isSaved: isSaved)
    let aim = try session.aim(at: target)
    var guarded: GuardStep?
    if !isSaved || session.isObstructed {
      let snapshot = try session.guardSnapshot(of: try session.seen())
      // When only an ignored file needs saving, the user has seen no change. The guard is then inserted, and undo does
      // not stop at it.
      guarded = GuardStep(snapshot: snapshot, paths: session.part.paths, isInserted: isSaved)
    }
    try session.walk.finishPacks()
    var planned = timeline
    guarded?.add(to: &planned)
    let isShifted = guarded?.isInserted == true && offset < 0
    let index = (planned.position ?? 0) + offset - (isShifted ? 1 : 0)
    guard planned.steps.indices.contains(index) else { throw end(offset, 0) }
    let restored = try session.finish(
      aim,
      RestoreCommit(
        repository: repository, target: target, shown: target, paths: session.part.paths, kept: kept, guarded: guarded,
        before: (guarded?.snapshot ?? session.before)?.id, position: index, operation: offset < 0 ? "undo" : "redo"),
      holding: lock)
    return try summary(restored, at: target.id, planned, index, guarded?.snapshot.id)
  }

  /// The paths of the steps that the move passes, if each of these steps concerns only paths; otherwise none. Unsaved
  /// changes are taken back in the same paths.
  private static func paths(of timeline: FolderTimeline, _ offset: Int) -> [BytePath] {
    guard let position = timeline.position else { return [] }
    let passed =
      offset < 0
      ? timeline.steps[max(0, position + 1 + offset)...position]
      : timeline.steps[(position + 1)...min(position + offset, timeline.steps.count - 1)]
    if passed.contains(where: \.paths.isEmpty) { return [] }
    return passed.flatMap { $0.paths.map { BytePath($0) } }
  }

  /// Whether the only unsaved changes are paths that the snapshot could not record, and the target has them as they are
  /// now. An undo has left these paths alone, so redo does the same. Otherwise redo would not be possible after such an
  /// undo.
  private func isLeftAlone(
    _ session: RestoreSession, _ timeline: FolderTimeline, _ offset: Int
  ) throws(RepositoryError) -> Bool {
    guard let before = session.before?.record, let tree = before.tree, let position = timeline.position,
      let target = try repository.record(of: timeline.steps[position + offset].snapshot)?.tree
    else { return false }
    let now = session.now
    let source = session.walk.source
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
        guard let name = (new ?? old)?.name else { return .pass }
        let path = folders[folder].appending(name)
        if unrecorded.contains(path.bytes) {
          isLeft = try new == TreePath.entry(path, in: target, store)
          return isLeft ? .pass : .stop
        }
        guard let old, let new, old.isDirectory, new.isDirectory, old.metadata == new.metadata else {
          isLeft = false
          return .stop
        }
        folders.append(path)
        return .enter(folders.count - 1)
      }
      return isLeft
    }
  }

  /// The snapshot `offset` steps away from the position. Unsaved changes count as one more step at the end.
  private func target(
    _ timeline: FolderTimeline, _ offset: Int, isSaved: Bool
  ) throws(RepositoryError) -> StoredSnapshot {
    var planned = timeline
    if !isSaved { planned.append(TimelineStep(operation: .guarded, time: .distantPast, snapshot: .zero)) }
    try check(planned, offset, hasUnsaved: false)
    guard let target = try repository.record(of: planned.steps[(planned.position ?? 0) + offset].snapshot) else {
      throw end(offset, 0)
    }
    return target
  }

  private func summary(
    _ restore: RestoreSummary, at target: ObjectID, _ timeline: FolderTimeline, _ index: Int,
    _ guarded: ObjectID?
  ) throws(RepositoryError) -> MoveSummary {
    let position = timeline.position ?? index
    // The steps between the two positions: undo passes the newest first, redo the oldest first.
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

  /// Throws `.timelineEnd` when there are not so many steps. `hasUnsaved`: unsaved changes may add one step to undo.
  private func check(_ timeline: FolderTimeline, _ offset: Int, hasUnsaved: Bool) throws(RepositoryError) {
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
