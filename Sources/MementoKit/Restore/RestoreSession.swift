// A restore in place, step by step. Restore, undo, redo and the recovery of an interrupted restore call these steps.
// They differ only in how they choose the target.
//
//   1. begin                  walk the folder as it is
//   2. compareWithPosition    is anything unsaved?
//   3. select, aim            what does the folder become?
//   4. guardSnapshot          save what is unsaved
//   5. finish                 plan, check [a dry run ends here], stage, mark, apply, commit
//
// Nothing in the folder changes before the mark. From then on every command reports an interrupted restore, until this
// restore commits or a recovery ends it.

internal import MementoStore
internal import MementoSystem

struct RestoreSession {
  struct Settings {
    var isDryRun = false
    /// Restores owners, setuid bits and devices even where the store or the folder belongs to another user.
    var asRecorded = false
    /// Writes new content into the store, for the guard and for the snapshot of a step that concerns a part.
    var isStoring = true
    /// Uses the stat cache; false reads every file.
    var usesCache = true
    /// Another repository, with whose folder new files share their blocks where the file system can.
    var sharing: Repository?
    /// What the walk ignores; nil for the rules of the config, of the folder, and of earlier commands.
    var rules: WalkRules?
  }

  private let repository: Repository
  private let refs: Refs
  private let settings: Settings
  private let monitor: any Monitor
  let walk: FolderWalk

  /// The folder as it is.
  private(set) var now: ArchivedTree
  /// The snapshot at the position; nil when there is none that can be read.
  private(set) var before: StoredSnapshot?
  /// Whether the snapshot at the position has everything that the restore can change.
  private(set) var isSaved = false
  /// Whether an ignored file is in the way of the target and differs from it. It must be saved, too.
  private(set) var isObstructed = false

  /// Composes the target of the selected part.
  private var composer: PartComposer
  /// Composes the same part with the files in its way, as a guard saves it.
  private var guardComposer: PartComposer
  /// Whether unsaved changes outside of the part are neither saved nor undone.
  private var isIsolated = false
  private var includesObstacles = false

  // MARK: 1. Begin

  /// Walks the folder, and calls `body` with a session.
  static func begin<Result>(
    _ repository: Repository, _ refs: Refs, _ settings: Settings, _ monitor: any Monitor,
    holding lock: borrowing StoreLock<ChangesFolder>, _ body: (inout RestoreSession) throws(RepositoryError) -> Result
  ) throws(RepositoryError) -> Result {
    monitor.begin(.scanning)
    let walk = try FolderWalk(
      repository, monitor: monitor, storing: settings.isStoring, useCache: settings.usesCache, rules: settings.rules)
    defer { walk.discard() }
    var session = RestoreSession(repository, refs, settings, monitor, walk, now: try walk.run())
    return try body(&session)
  }

  private init(
    _ repository: Repository, _ refs: Refs, _ settings: Settings, _ monitor: any Monitor, _ walk: FolderWalk,
    now: ArchivedTree
  ) {
    self.repository = repository
    self.refs = refs
    self.settings = settings
    self.monitor = monitor
    self.walk = walk
    self.now = now
    composer = PartComposer(repository, walk, RestorePart())
    guardComposer = composer
  }

  // MARK: 2. Is anything unsaved?

  /// Compares the whole folder with the snapshot at the position. Once `isSaved` is true, it stays true.
  mutating func compareWithPosition() throws(RepositoryError) {
    if isSaved { return }
    before = try repository.recordAtPosition(refs)
    isSaved = try repository.isSaved(now, in: before?.record, walk)
  }

  /// Compares only the selected part with the snapshot at the position, if the rest of the folder does not count.
  mutating func comparePartWithPosition() throws(RepositoryError) {
    guard !isSaved, isIsolated, let before else { return }
    let seen = try guardComposer.seen(now, on: before.record, takingTimes: false)
    isSaved = try repository.isSaved(seen, in: before.record, walk)
  }

  // MARK: 3. What the folder becomes

  /// Chooses the part of the folder to restore. `isIsolated`: unsaved changes outside of the part are left alone.
  /// `includesObstacles`: a file in the way of a path belongs to the part.
  mutating func select(
    _ part: RestorePart, isIsolated: Bool, includesObstacles: Bool = false
  ) throws(RepositoryError) {
    self.isIsolated = isIsolated
    self.includesObstacles = includesObstacles
    composer = PartComposer(repository, walk, part)
    try findObstacles()
  }

  /// The selected part.
  var part: RestorePart { composer.part }
  /// The selected part with the files in its way.
  var guardedPart: RestorePart { guardComposer.part }

  private mutating func findObstacles() throws(RepositoryError) {
    guardComposer = try composer.withObstacles(in: now)
    if includesObstacles { composer = guardComposer }
  }

  /// Throws `.noSuchPath` when a path is neither in the target nor in the folder.
  func check(_ paths: [BytePath], in target: StoredSnapshot) throws(RepositoryError) {
    try composer.check(paths, target.record, now)
  }

  /// What the folder becomes. When an ignored file is in the way, this walks the folder again, and `now` has the file.
  /// `otherEnd`: the tree at the other end of an interrupted restore.
  mutating func aim(
    at target: StoredSnapshot, otherEnd: ObjectID? = nil
  ) throws(RepositoryError) -> RestoreAim {
    let aim = try composer.aim(target.record, in: now, otherEnd: otherEnd)
    let scope = try RestoreScope(repository: repository, walk: walk).widen(now, before: aim.tree)
    guard let scope else { return aim }
    now = scope.now
    isObstructed = scope.isObstructed
    try findObstacles()
    return part.isWhole ? aim : try composer.aim(target.record, in: now, otherEnd: otherEnd)
  }

  // MARK: 4. The guard

  /// The folder for the guard and for the snapshot of the step: without unsaved changes outside of the part.
  func seen() throws(RepositoryError) -> ArchivedTree {
    guard isIsolated, let before else { return now }
    return try guardComposer.seen(now, on: before.record, takingTimes: true)
  }

  /// Saves the folder as `seen` has it in a snapshot.
  func guardSnapshot(of seen: ArchivedTree) throws(RepositoryError) -> StoredSnapshot {
    let record = try walk.record(seen, since: before)
    return StoredSnapshot(try walk.store(record), record)
  }

  /// The snapshot of the step: the target itself, or a new snapshot when only a part is restored.
  func stepSnapshot(
    _ target: StoredSnapshot, _ seen: ArchivedTree, guard guarded: StoredSnapshot?
  ) throws(RepositoryError) -> StoredSnapshot {
    part.isWhole ? target : try composer.snapshot(seen, target, guard: guarded, before: before)
  }

  // MARK: 5. Plan, check, stage, mark, apply, commit

  /// Changes the folder to `aim` and `refs` to `commit`. A dry run only returns what it would do.
  func finish(
    _ aim: RestoreAim, _ commit: RestoreCommit, holding lock: borrowing StoreLock<ChangesFolder>
  ) throws(RepositoryError) -> RestoreSummary {
    let plan = try plan(aim, isRecovery: commit.interrupted != nil)
    if settings.isDryRun {
      var summary = summary(plan, commit, written: plan.totals.bytes, rescued: [], problems: plan.notes)
      summary.plan = try plan.changes()
      summary.isCommitted = false
      return summary
    }
    let problems = RestoreProblems(monitor)
    let rights = try RestoreRights(repository, into: try repository.root, asRecorded: settings.asRecorded)
    for note in plan.notes { problems.report(note) }
    if plan.isEmpty {
      guard try commit.changesRefs() else { return summaryOfNothing(plan, commit) }
      try commit.commit(plan, holding: lock)
      walk.finishCache()
      commit.journal()
      return summary(plan, commit, written: 0, rescued: [], problems: problems.all)
    }
    let staging = try StagingFolder(making: repository)
    let staged = try stage(plan, in: staging, commit, problems, rights, holding: lock)
    let outcome = try RestoreApply(
      plan, staging, repository, problems, rights, unmade: staged.unmade, seen: (now.begun, walk.source)
    ).run()
    try flush()
    try commit.commit(plan, holding: lock)
    walk.finishCache()
    if !outcome.isStagingKept { staging.remove() }
    commit.journal()
    var summary = summary(plan, commit, written: staged.written, rescued: outcome.rescued, problems: problems.all)
    summary.bytesShared = staged.shared
    return summary
  }

  /// Compares the folder with what it becomes. Throws `.blocked` when the system would not allow a part of it. A
  /// recovery goes as far as it can, since the folder is half changed already.
  private func plan(_ aim: RestoreAim, isRecovery: Bool) throws(RepositoryError) -> RestorePlan {
    let source = walk.source
    let worktree = repository.worktree
    var plan = try RestorePlanner(
      current: FolderState(
        tree: now.tree, root: now.root, links: now.links, linkedOutside: now.linkedOutside, source: source),
      target: FolderState(tree: aim.tree, root: aim.root, links: aim.links, source: source),
      untouchable: aim.untouchable,
      protected: ProtectedPaths(repository.folderConfig.protected.map { ($0.line, $0.pattern) }),
      items: PlanItems { () throws(Errno) in try worktree.makeUnnamed("plan") }, monitor: monitor
    ).run()
    let root = try repository.root
    if now.ignored > 0 || !now.problems.isEmpty { try plan.keepNonEmptyFolders(root) }
    // The repository in a new fork is new, and nothing of it comes back.
    if settings.sharing == nil { plan.notes += try GitNotes(repository, plan).notes() }
    let problems = try RestoreCheck.problems(&plan, root: root)
    if !isRecovery, !problems.isEmpty { throw RepositoryError(blockedBy: problems) }
    return plan
  }

  /// Makes all new files in the staging folder, flushes them, and marks the restore as pending.
  private func stage(
    _ plan: RestorePlan, in staging: StagingFolder, _ commit: RestoreCommit, _ problems: RestoreProblems,
    _ rights: RestoreRights, holding lock: borrowing StoreLock<ChangesFolder>
  ) throws(RepositoryError) -> RestoreStage.Staged {
    monitor.begin(.restoring)
    do throws(RepositoryError) {
      let staged = try RestoreStage(
        plan: plan, staging: staging, repository: repository, monitor: monitor, problems: problems, rights: rights,
        list: StagingList(begun: now.begun, target: commit.target.id, before: commit.before),
        sharing: settings.sharing.flatMap { BlockSharing(of: $0, into: staging.directory) }
      ).run()
      try keepRules(plan)
      try flush()
      try commit.mark(staging, holding: lock)
      return staged
    } catch {
      staging.remove()
      throw error
    }
  }

  /// Stores the present ignore rules when the restore changes rule files, so that files ignored now stay ignored. Also
  /// stores rules that only this command was given.
  private func keepRules(_ plan: RestorePlan) throws(RepositoryError) {
    let rules = walk.rules
    guard now.ignored > 0, rules.isOneOff || plan.totals.changesRules else { return }
    let present = RuleSet(rules.current.options, files: now.ruleFiles)
    try PersistedRules(repository.worktree).replace(withLast: rules.kept + [present])
  }

  /// Flushes everything that was staged or put in place to the disk.
  private func flush() throws(RepositoryError) {
    guard repository.worktree.isDurable else { return }
    let root = try repository.root
    do throws(Errno) {
      try root.descriptor.flushFileSystem()
    } catch {
      throw RepositoryError(.system, "cannot flush the folder: \(error)", systemError: error.code)
    }
  }

  // MARK: Summary

  private func summary(
    _ plan: RestorePlan, _ commit: RestoreCommit, written: UInt64, rescued: [BytePath], problems: [Problem]
  ) -> RestoreSummary {
    RestoreSummary(
      snapshot: Snapshot(commit.shown), guard: commit.guarded.map { Snapshot($0.snapshot) },
      created: plan.totals.created, replaced: plan.totals.replaced, removed: plan.totals.removed,
      metadata: plan.totals.metadata, bytesWritten: written, rescued: rescued,
      problems: now.problems.filter { !$0.isNote } + problems, plan: [], isCommitted: true, folders: plan.folders)
  }

  /// The summary when neither the folder nor `refs` had to change. Nothing refers to a guard that was made for paths.
  private func summaryOfNothing(_ plan: RestorePlan, _ commit: RestoreCommit) -> RestoreSummary {
    var summary = summary(plan, commit, written: 0, rescued: [], problems: plan.notes)
    if !commit.paths.isEmpty { summary.guard = nil }
    return summary
  }
}
