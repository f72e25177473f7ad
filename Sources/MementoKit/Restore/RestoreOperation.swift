// A restore in place, in six steps: plan, guard, stage, mark, apply, commit. Up to the mark nothing has changed; after it,
// every command says that a restore is under way until it is finished or taken back.

internal import MementoStore
internal import MementoSystem

struct RestoreOperation {
  let repository: Repository
  let options: RestoreOptions
  let monitor: any Monitor

  private var store: Store { repository.store }

  func run(_ revision: Revision) throws(RepositoryError) -> RestoreSummary {
    let lock = try repository.lockAlone(monitor)
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    let (id, record) = try RevisionResolver(repository, refs).resolve(revision)
    guard record.tree != nil else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueNeedsNoFolder, revision: revision)
    }
    let part = RestorePart(paths: options.paths, kept: options.kept, keepExtra: options.keepExtra)
    monitor.begin(.scanning)
    let isStoring = !options.isDryRun && (!options.discard || !part.isWhole)
    let walk = try FolderWalk(
      repository, monitor: monitor, storing: isStoring, rules: try repository.rules(options.ignoring))
    do throws(RepositoryError) {
      let restore = try prepare((id, record), part, walk, refs)
      let summary =
        options.isDryRun ? try restore.plan() : try restore.run { walk.finishCache() }
      walk.discard()
      _ = consume lock
      return summary
    } catch {
      walk.discard()
      throw error
    }
  }

  private func prepare(
    _ chosen: (id: ObjectID, record: SnapshotRecord), _ part: RestorePart, _ walk: FolderWalk, _ refs: Refs
  ) throws(RepositoryError) -> PreparedRestore {
    var now = try walk.run()
    let before = try repository.recordAtPosition(refs)
    var isSaved = try repository.isSaved(now, in: before?.record, walk)
    let composer = PartComposer(repository, walk, part)
    try composer.check(options.paths, chosen.record, now)
    var aim = try composer.aim(chosen.record, in: now)
    let scope = try RestoreScope(repository: repository, walk: walk).folder(now, before: aim.tree)
    if scope.now.tree != now.tree { aim = try composer.aim(chosen.record, in: scope.now) }
    now = scope.now
    if !isSaved { isSaved = try repository.isSaved(now, in: before?.record, walk) }
    // A restore of paths leaves changes elsewhere alone: they are neither saved nor taken for what the position says.
    let wider = try composer.withObstacles(in: now)
    var seen = now
    if !part.paths.isEmpty, let before {
      if !isSaved {
        isSaved = try repository.isSaved(
          try wider.seen(now, on: before.record, takingTimes: false), in: before.record, walk)
      }
      seen = try wider.seen(now, on: before.record, takingTimes: true)
    }
    if scope.isObstructed { isSaved = false }
    let isNothing = !part.paths.isEmpty && aim.tree == now.tree && aim.links == now.links
    let guardRecord = isSaved || isNothing ? nil : try makeGuard(seen, before, walk)
    let present = guardRecord ?? before
    var target = chosen
    if !part.isWhole, !isNothing {
      target = try composer.snapshot(seen, chosen, guard: guardRecord, before: before)
    }
    if !isNothing { try walk.finishPacks() }
    var restore = PreparedRestore(
      repository: repository, monitor: monitor, target: target, shown: chosen, aim: aim, part: wider.part,
      guardRecord: guardRecord, guardPaths: before == nil ? [] : wider.part.paths,
      before: isSaved || guardRecord != nil ? present?.id : nil, now: now, source: walk.source, rules: walk.rules,
      position: options.followsTimeline ? step(of: target.id, refs.timeline, guardRecord) : nil)
    restore.asRecorded = options.asRecorded
    return restore
  }

  /// The folder as it is, which no snapshot at the position says. It becomes a step of the timeline with the mark.
  private func makeGuard(
    _ now: ArchivedTree, _ before: (id: ObjectID, record: SnapshotRecord)?, _ walk: FolderWalk
  ) throws(RepositoryError) -> (id: ObjectID, record: SnapshotRecord)? {
    if options.discard || options.isDryRun { return nil }
    let record = try walk.record(now, since: before)
    return (try walk.store(record), record)
  }

  /// The last step of the timeline, as it will be with the guard, that holds a snapshot.
  private func step(
    of snapshot: ObjectID, _ timeline: MementoStore.Timeline, _ guardRecord: (id: ObjectID, record: SnapshotRecord)?
  ) -> Int? {
    var timeline = timeline
    if let guardRecord {
      timeline.append(
        TimelineStep(operation: .guarded, time: guardRecord.record.time, snapshot: guardRecord.id))
    }
    guard let position = timeline.position else { return nil }
    return timeline.steps[...position].lastIndex { $0.snapshot == snapshot }
  }
}

extension SnapshotRecord {
  var rootMetadata: FileMetadata? {
    if case .tree(_, let root) = body { return root }
    return nil
  }
}
