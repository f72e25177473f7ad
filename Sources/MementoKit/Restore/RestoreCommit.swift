// What a restore writes into `refs`: the mark before it changes the folder, and the commit after that. Each is one rename.

internal import MementoStore
internal import MementoSystem

/// What was unsaved when a restore began, as a step of the timeline.
struct GuardStep {
  let snapshot: StoredSnapshot
  /// The paths that it is about; empty for the whole folder.
  let paths: [BytePath]
  /// It comes before the steps that were undone; otherwise it takes their place.
  var isInserted = false

  func add(to timeline: inout MementoStore.Timeline) {
    if timeline.current?.snapshot == snapshot.id { return }
    let step = TimelineStep(
      operation: .guarded, time: snapshot.record.time, snapshot: snapshot.id, paths: paths.map(\.bytes))
    if isInserted { timeline.insert(step) } else { timeline.append(step) }
  }
}

struct RestoreCommit {
  let repository: Repository
  /// The snapshot of the step that the position goes to.
  let target: StoredSnapshot
  /// The snapshot that the user asked for; the target is made of it when only a part is restored.
  let shown: StoredSnapshot
  /// The part of the folder, as the timeline and the mark have it: its paths, none for the whole folder, and the patterns of
  /// what is left as it is.
  let paths: [BytePath]
  let kept: [[UInt8]]
  let guarded: GuardStep?
  /// What `--abort` takes the folder back to; nil when nothing was saved.
  let before: ObjectID?
  /// The step that the position goes to; nil adds a step.
  let position: Int?
  /// What the journal calls it.
  var operation = "restore"
  /// The interrupted restore that this one finishes or takes back. Both ways stay open until it is done.
  var interrupted: PendingRestore?

  /// From now on the restore is under way: every command says so.
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

  /// False when the timeline is where the restore leads already. A restore of paths that are as they should be adds no step.
  func changesRefs() throws(RepositoryError) -> Bool {
    let refs = try repository.readRefs()
    if refs.pending != nil || position != nil { return true }
    return paths.isEmpty && refs.timeline.current?.snapshot != target.id
  }

  /// The restore is done: the position moves, and the mark goes.
  func commit(holding lock: borrowing StoreLock<ChangesFolder>) throws(RepositoryError) {
    let step = TimelineStep(operation: .restore, time: Clock.now(), snapshot: target.id, paths: paths.map(\.bytes))
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

  /// The journal has a line for the guard and for the snapshot of a part, too: once they have left the timeline, nothing else
  /// tells of them.
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
