// What a restore writes to `refs`: a mark before it changes the folder, and the commit afterwards. Each is one rename.

internal import MementoStore
internal import MementoSystem

/// The step of the timeline that holds the unsaved changes from before a restore.
struct GuardStep {
  let snapshot: StoredSnapshot
  /// The paths that the restore changes; empty for the whole folder.
  let paths: [BytePath]
  /// Whether the step is inserted before the steps that were undone. Otherwise it replaces them.
  var isInserted = false

  func add(to timeline: inout FolderTimeline) {
    if timeline.current?.snapshot == snapshot.id { return }
    let step = TimelineStep(
      operation: .guarded, time: snapshot.record.time, snapshot: snapshot.id, paths: paths.map(\.bytes))
    if isInserted { timeline.insert(step) } else { timeline.append(step) }
  }
}

/// How the history names what was restored: a state, or for a revert the two states between which changes were taken back.
struct StepLabel {
  var name: String
  var until: String?
}

struct RestoreCommit {
  let repository: Repository
  /// The snapshot of the step that becomes the position.
  let target: StoredSnapshot
  /// The snapshot that the user asked for. The target is made from it when only a part is restored.
  let shown: StoredSnapshot
  /// The part of the folder that is restored, for the timeline and the mark. `paths` is empty for the whole folder.
  /// `kept` holds the patterns of files that stay as they are.
  let paths: [BytePath]
  let kept: [[UInt8]]
  let guarded: GuardStep?
  /// The snapshot that `--abort` restores; nil when nothing was saved.
  let before: ObjectID?
  /// The step that becomes the position; nil adds a step.
  let position: Int?
  /// How the history names what the user asked for. Nil when that was no state.
  var label: StepLabel?
  /// The operation in the journal.
  var operation = "restore"
  /// The interrupted restore that this one finishes or aborts. The user can choose either until this one is done.
  var interrupted: PendingRestore?

  /// Marks the restore as pending. From now on every command reports it.
  func mark(
    _ staging: StagingFolder, holding lock: borrowing StoreLock<ChangesFolder>
  ) throws(RepositoryError) {
    let pending = PendingRestore(
      target: interrupted?.target ?? target.id, before: before, staging: staging.name,
      position: interrupted.map(\.position) ?? position, paths: paths.map(\.bytes), kept: kept)
    _ = try repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in
      guarded?.add(to: &refs.timeline)
      refs.pending = pending
    }
  }

  /// Whether the commit changes `refs`. False when the position is already the target, and for a restore of paths that
  /// changes nothing.
  func changesRefs() throws(RepositoryError) -> Bool {
    let refs = try repository.readRefs()
    if refs.pending != nil || position != nil { return true }
    return paths.isEmpty && refs.timeline.current?.snapshot != target.id
  }

  /// Ends the restore: moves the position and removes the mark.
  func commit(_ plan: RestorePlan, holding lock: borrowing StoreLock<ChangesFolder>) throws(RepositoryError) {
    var step = TimelineStep(operation: .restore, time: Clock.now(), snapshot: target.id, paths: paths.map(\.bytes))
    step.story = story(plan)
    _ = try repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in
      if refs.pending == nil { guarded?.add(to: &refs.timeline) }
      refs.pending = nil
      if let position {
        guard refs.timeline.move(to: position) else { throw RepositoryError(.damaged, "the timeline has no such step") }
      } else if refs.timeline.current?.snapshot != target.id {
        refs.timeline.append(step)
      }
    }
  }

  /// What the step did. What is left of an interrupted restore is not all that it did.
  private func story(_ plan: RestorePlan) -> StepStory? {
    guard let label, interrupted == nil else { return nil }
    return .restored(
      RestoredState(
        name: label.name, until: label.until, created: plan.totals.created, replaced: plan.totals.replaced,
        removed: plan.totals.removed,
        metadata: plan.totals.metadata))
  }

  /// Writes the journal. The guard and the snapshot of a part get a line each, because only the journal names them once
  /// they have left the timeline.
  func journal() {
    var lines: [JournalEntry] = []
    if let guarded = guarded?.snapshot {
      lines.append(repository.journalEntry("guard", snapshot: guarded.id, name: nil, at: guarded.record.time))
    }
    if target.id != shown.id {
      lines.append(repository.journalEntry("part", snapshot: target.id, name: nil, at: target.record.time))
    }
    lines.append(repository.journalEntry(operation, snapshot: target.id, name: shown.record.name, at: Clock.now()))
    repository.journal(lines)
  }
}
