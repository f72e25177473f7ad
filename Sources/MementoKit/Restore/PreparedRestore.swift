// The second half of a restore, the same for a first attempt and for one that goes on after a crash: from the state of the
// folder and the target to the summary.

internal import MementoStore
internal import MementoSystem

struct PreparedRestore {
  let repository: Repository
  let monitor: any Monitor
  /// The snapshot of the step that the position goes to.
  let target: (id: ObjectID, record: SnapshotRecord)
  /// What the user asked for.
  let shown: (id: ObjectID, record: SnapshotRecord)
  /// What the folder becomes: the target, or the folder with this part as the target has it.
  let aim: RestoreAim
  let part: RestorePart
  let guardRecord: (id: ObjectID, record: SnapshotRecord)?
  /// The paths that the step of the guard is about; empty: the whole folder.
  let guardPaths: [BytePath]
  /// What the folder is taken back to by `--abort`.
  let before: ObjectID?
  let now: ArchivedTree
  let source: any MetaSource
  /// Under which the folder was walked.
  let rules: WalkRules
  /// What the journal calls it.
  var operation = "restore"
  /// Where in the timeline the position goes; nil adds a step.
  let position: Int?
  /// The guard comes before what was undone, and does not take its place.
  var isGuardInserted = false
  /// Root restores owners, setuid and devices also from the store or into the folder of another user.
  var asRecorded = false
  /// The interrupted restore that this one finishes or takes back: both ways stay open until it is done.
  var interrupted: PendingRestore?

  private var store: Store { repository.store }

  /// Only says what would be done.
  func plan() throws(RepositoryError) -> RestoreSummary {
    let plan = try makePlan()
    var summary = summary(plan, written: plan.bytesToWrite, rescued: [], problems: plan.notes)
    summary.plan = plan.changes
    summary.isCommitted = false
    return summary
  }

  /// Stages, marks, applies and commits. `afterCommit` runs when nothing can be lost any more.
  func run(afterCommit: () -> Void) throws(RepositoryError) -> RestoreSummary {
    let plan = try makePlan()
    let problems = RestoreProblems(monitor)
    let rights = try RestoreRights(repository, into: try repository.root, asRecorded: asRecorded)
    for note in plan.notes { problems.report(note.path, note.message, isNote: note.isNote) }
    var written: UInt64 = 0
    var rescued: [BytePath] = []
    if !plan.isEmpty {
      monitor.begin(.restoring)
      let staging = try StagingFolder(making: repository)
      let staged: RestoreStage.Result
      do throws(RepositoryError) {
        staged = try RestoreStage(
          plan: plan, staging: staging, repository: repository, monitor: monitor, problems: problems, rights: rights,
          list: StagingList(begun: now.begun, target: target.id, before: before)
        ).run()
        try keepRules(plan)
        try flush()
        try mark(staging)
      } catch {
        staging.remove()
        throw error
      }
      written = staged.written
      let outcome = try RestoreApply(
        plan, staging, repository, problems, rights, unmade: staged.unmade, seen: (now.begun, source)
      ).run()
      rescued = outcome.rescued
      try flush()
      try commit()
      afterCommit()
      if !outcome.isStagingKept { staging.remove() }
    } else {
      let refs = try repository.readRefs()
      // What is there already makes no write at all, and paths that are as they should be no step.
      if refs.pending == nil, position == nil, !part.paths.isEmpty || refs.timeline.current?.snapshot == target.id {
        var summary = summary(plan, written: 0, rescued: [], problems: plan.notes)
        if !part.paths.isEmpty { summary.guard = nil }
        return summary
      }
      try commit()
      afterCommit()
    }
    journal()
    return summary(plan, written: written, rescued: rescued, problems: problems.all)
  }

  private func makePlan() throws(RepositoryError) -> RestorePlan {
    var plan = try translating { () throws(StoreError) in
      try RestorePlanner(
        current: FolderState(
          tree: now.tree, root: now.root, links: now.links, linkedOutside: now.linkedOutside, source: source),
        target: FolderState(tree: aim.tree, root: aim.root, links: aim.links, source: source),
        untouchable: aim.untouchable,
        protected: ProtectedPaths(store.config.protected.map { ($0.line, $0.pattern) }), monitor: monitor
      ).run()
    }
    try Leftovers(repository: repository, now: now).keepFolders(of: &plan)
    plan.notes += GitNotes(repository, plan).notes()
    let problems = RestoreCheck.problems(&plan, root: try repository.root)
    // A folder that is half changed already is better brought as far as can be.
    if interrupted == nil, !problems.isEmpty { throw RepositoryError(blockedBy: problems) }
    return plan
  }

  /// Everything that was staged or put in place is on the medium.
  private func flush() throws(RepositoryError) {
    guard repository.worktree.isDurable else { return }
    let root = try repository.root
    do throws(Errno) {
      try root.descriptor.flushFileSystem()
    } catch {
      throw RepositoryError(.system, "cannot flush the folder: \(error)", systemError: error.code)
    }
  }

  /// What is ignored now stays left alone, though the restore changes the files that say so, or the command alone did.
  private func keepRules(_ plan: RestorePlan) throws(RepositoryError) {
    guard now.ignored > 0, rules.isOneOff || plan.changesRules else { return }
    let present = RuleSet(rules.current.options, files: now.ruleFiles)
    try KeptRules(repository.worktree).replace(withLast: rules.kept + [present])
  }

  private func mark(_ staging: StagingFolder) throws(RepositoryError) {
    let pending = PendingRestore(
      target: interrupted?.target ?? target.id, before: before, staging: staging.name,
      position: interrupted.map(\.position) ?? position, paths: part.paths.map(\.bytes), kept: part.kept)
    _ = try repository.updateRefs { (refs) throws(RepositoryError) in
      addGuard(to: &refs)
      refs.pending = pending
    }
  }

  private func commit() throws(RepositoryError) {
    let step = TimelineStep(
      operation: .restore, time: Clock.now(), snapshot: target.id, paths: part.paths.map(\.bytes))
    _ = try repository.updateRefs { (refs) throws(RepositoryError) in
      if refs.pending == nil { addGuard(to: &refs) }
      refs.pending = nil
      if let position {
        guard refs.timeline.move(to: position) else { throw RepositoryError(.damaged, "the timeline has no such step") }
      } else if refs.timeline.current?.snapshot != target.id {
        refs.timeline.append(step)
      }
    }
  }

  /// Snapshots that were made on the way stand in the journal, too, since nothing else tells of them once they are on the
  /// timeline no more.
  private func journal() {
    var lines: [JournalEntry] = []
    if let guardRecord {
      lines.append(
        repository.journalEntry("guard", snapshot: guardRecord.id, name: nil, at: guardRecord.record.time))
    }
    if target.id != shown.id {
      lines.append(repository.journalEntry("part", snapshot: target.id, name: nil, at: target.record.time))
    }
    lines.append(
      repository.journalEntry(operation, snapshot: target.id, name: shown.record.name, at: Clock.now()))
    repository.journal(lines)
  }

  private func addGuard(to refs: inout Refs) {
    guard let guardRecord, refs.timeline.current?.snapshot != guardRecord.id else { return }
    let step = TimelineStep(
      operation: .guarded, time: guardRecord.record.time, snapshot: guardRecord.id, paths: guardPaths.map(\.bytes))
    if isGuardInserted { refs.timeline.insert(step) } else { refs.timeline.append(step) }
  }

  private func summary(
    _ plan: RestorePlan, written: UInt64, rescued: [BytePath], problems: [Problem]
  ) -> RestoreSummary {
    RestoreSummary(
      snapshot: Snapshot(shown.id, shown.record), guard: guardRecord.map { Snapshot($0.id, $0.record) },
      created: plan.count(.create), replaced: plan.count(.replace), removed: plan.count(.remove),
      metadata: plan.count(.metadata), bytesWritten: written, rescued: rescued,
      problems: now.problems.filter { !$0.isNote } + problems, plan: [], isCommitted: true, folders: plan.folders)
  }
}
