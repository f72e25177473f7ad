// `restore --continue` and `--abort`: the target is one of the two ends of an interrupted restore. It starts over: it
// walks the folder without the stat cache, plans, stages and applies. So it may itself be interrupted at any time.

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
    let lock = try repository.lockForRestoring(monitor)
    let refs = try repository.readRefs()
    guard let pending = refs.pending else {
      throw RepositoryError(.noPendingRestore, "no restore was interrupted: there is nothing to finish or take back")
    }
    let target = try target(direction, pending)
    // The staging folder of the interrupted restore may hold the only copy of a file.
    let left = try StagingFolder(named: pending.staging, of: repository)
    let rescue = try left.map { (staging) throws(RepositoryError) in
      try StagingRecovery(repository: repository, staging: staging, isPending: true).run()
    }
    for problem in rescue?.problems ?? [] { monitor.report(problem) }
    let settings = RestoreSession.Settings(asRecorded: asRecorded, usesCache: false)
    var summary = try RestoreSession.begin(repository, refs, settings, monitor, holding: lock) {
      (session) throws(RepositoryError) in
      try recover(direction, pending, target, refs, &session, holding: lock)
    }
    if let rescue {
      summary.rescued = rescue.rescued + summary.rescued
      summary.problems = (summary.problems + rescue.problems).sorted { $0.path < $1.path }
    }
    return summary
  }

  private func target(
    _ direction: Direction, _ pending: PendingRestore
  ) throws(RepositoryError) -> StoredSnapshot {
    if direction == .back, pending.before == nil {
      throw RepositoryError(
        .invalidArgument, "this restore cannot be taken back: what the folder was before it was not saved",
        reason: .discardedBefore)
    }
    guard let target = try repository.record(of: direction == .forward ? pending.target : pending.before) else {
      throw RepositoryError(.damaged, "the interrupted restore names no snapshot")
    }
    return target
  }

  private func recover(
    _ direction: Direction, _ pending: PendingRestore, _ target: StoredSnapshot, _ refs: Refs,
    _ session: inout RestoreSession, holding lock: borrowing StoreLock<ChangesFolder>
  ) throws(RepositoryError) -> RestoreSummary {
    let part = RestorePart(paths: pending.paths.map { BytePath($0) }, kept: pending.kept)
    try session.select(part, isIsolated: false)
    let aim = try session.aim(
      at: target, otherEnd: part.paths.isEmpty ? nil : try otherEnd(direction, pending, refs))
    // The folder may have changed since the crash. The journal names a snapshot of its present content.
    let between = try session.walk.store(try session.walk.record(session.now, since: target))
    try session.walk.finishPacks(durably: true)
    repository.journal("interrupted", snapshot: between, name: nil, at: Clock.now())
    return try session.finish(
      aim,
      RestoreCommit(
        repository: repository, target: target, shown: target, paths: part.paths, kept: part.kept, guarded: nil,
        before: pending.before, position: direction == .back ? refs.timeline.position : pending.position,
        interrupted: pending),
      holding: lock)
  }

  /// The tree at the other end of the interrupted restore. With --discard there is no guard, so it is the tree of the
  /// position. Nil when the tree cannot be read; then the folders that lead to the paths stay.
  private func otherEnd(
    _ direction: Direction, _ pending: PendingRestore, _ refs: Refs
  ) throws(RepositoryError) -> ObjectID? {
    do throws(RepositoryError) {
      if direction == .back { return try repository.record(of: pending.target)?.tree }
      if let before = try repository.record(of: pending.before) { return before.tree }
      return try repository.recordAtPosition(refs)?.tree
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }
}
