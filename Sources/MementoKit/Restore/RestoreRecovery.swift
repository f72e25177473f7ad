// Finishes or takes back a restore that was interrupted. It begins anew: walks the folder without believing the stat cache,
// plans, stages, applies. So it can itself be interrupted, any number of times.

internal import MementoStore
internal import MementoSystem

struct RestoreRecovery {
  enum Direction {
    case forward
    case back
  }

  let repository: Repository
  var asRecorded = false
  let monitor: any Monitor

  func run(_ direction: Direction) throws(RepositoryError) -> RestoreSummary {
    let lock = try repository.lockAlone(monitor)
    let refs = try repository.readRefs()
    guard let pending = refs.pending else {
      throw RepositoryError(.noPendingRestore, "no restore was interrupted: there is nothing to finish or take back")
    }
    if direction == .back, pending.before == nil {
      throw RepositoryError(
        .invalidArgument, "this restore cannot be taken back: it was begun with --discard",
        reason: .discardedBefore)
    }
    guard let target = try repository.record(of: direction == .forward ? pending.target : pending.before) else {
      throw RepositoryError(.damaged, "the interrupted restore names no snapshot")
    }
    // First what the interrupted restore swapped out: the only copy of something may be there.
    let left = try StagingFolder(named: pending.staging, of: repository)
    let rescue = try left.map { (staging) throws(RepositoryError) in
      try StagingRecovery(repository: repository, staging: staging, isPending: true).run()
    }
    for problem in rescue?.problems ?? [] { monitor.report(problem) }
    monitor.begin(.scanning)
    let walk = try FolderWalk(repository, monitor: monitor, storing: true, useCache: false)
    do throws(RepositoryError) {
      let part = RestorePart(paths: pending.paths.map { BytePath($0) }, kept: pending.kept)
      let composer = PartComposer(repository, walk, part)
      var now = try walk.run()
      let otherEnd = part.paths.isEmpty ? nil : try otherEnd(direction, pending, refs)
      var aim = try composer.aim(target.record, in: now, otherEnd: otherEnd)
      now = try RestoreScope(repository: repository, walk: walk).folder(now, before: aim.tree).now
      if !part.isWhole { aim = try composer.aim(target.record, in: now, otherEnd: otherEnd) }
      // What the folder is at this moment stays reachable, whatever somebody did to it since the crash.
      let between = try walk.store(try walk.record(now, since: target))
      try walk.finishPacks(forGood: true)
      repository.journal("interrupted", snapshot: between, name: nil, at: Clock.now())
      var restore = PreparedRestore(
        repository: repository, monitor: monitor, target: (target.id, target.record),
        shown: (target.id, target.record), aim: aim, part: part, guardRecord: nil, guardPaths: [],
        before: pending.before, now: now, source: walk.source, rules: walk.rules,
        position: direction == .back ? refs.timeline.position : pending.position, interrupted: pending)
      restore.asRecorded = asRecorded
      var summary = try restore.run { walk.finishCache() }
      walk.discard()
      if let rescue {
        summary.rescued = rescue.rescued + summary.rescued
        summary.problems = (summary.problems + rescue.problems).sorted { $0.path < $1.path }
      }
      _ = consume lock
      return summary
    } catch {
      walk.discard()
      throw error
    }
  }

  /// Where the interrupted restore came from, seen from where it goes now. A restore with --discard made no guard: what was
  /// there is taken to be what the position says. Nil when it cannot be read: then the folders that lead to the paths stay as
  /// they are.
  private func otherEnd(
    _ direction: Direction, _ pending: PendingRestore, _ refs: Refs
  ) throws(RepositoryError) -> ObjectID? {
    do throws(RepositoryError) {
      if direction == .back { return try repository.record(of: pending.target)?.record.tree }
      if let before = try repository.record(of: pending.before) { return before.record.tree }
      return try repository.recordAtPosition(refs)?.record.tree
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }
}
