// `restore`: restores the snapshot that a text names, or a part of it.

internal import MementoStore
internal import MementoSystem

struct RestoreOperation {
  /// The most paths that a step of the timeline remembers.
  static let mostPaths = 4096

  let repository: Repository
  let options: RestoreOptions
  let monitor: any Monitor

  /// `asked`: what the user called the snapshot, if not so.
  func run(_ revision: Revision, asked: Revision? = nil) throws(RepositoryError) -> RestoreSummary {
    let lock = try repository.lockForRestoring(monitor, changes: !options.isDryRun)
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    let chosen = try RevisionResolver(repository, refs).resolve(revision)
    guard chosen.tree != nil else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueNeedsNoFolder, revision: revision)
    }
    let settings = RestoreSession.Settings(
      isDryRun: options.isDryRun, asRecorded: options.asRecorded,
      isStoring: !options.isDryRun && (!options.discard || !isWhole), sharing: options.sharing,
      rules: try repository.rules(options.ignoring))
    return try RestoreSession.begin(repository, refs, settings, monitor, holding: lock) {
      (session) throws(RepositoryError) in
      try restore(
        chosen, label: StepLabel(name: RestoreOperation.label(of: chosen, asked ?? revision, refs)), refs, &session,
        holding: lock)
    }
  }

  /// Whether the whole folder is restored without exceptions.
  private var isWhole: Bool {
    options.pathspecs.isEmpty
      && RestorePart(paths: options.paths, kept: options.kept, keepExtra: options.keepExtra).isWhole
  }

  /// The paths to restore; empty for the whole folder.
  private func paths(of chosen: StoredSnapshot, _ session: RestoreSession) throws(RepositoryError) -> [BytePath] {
    guard !options.pathspecs.isEmpty, let tree = chosen.tree else { return options.paths }
    let expansion = PathExpansion(source: session.walk.source, monitor: monitor)
    return try expansion.run(options.paths, options.pathspecs, from: session.now.tree, to: tree)
  }

  /// Restores what the options say from a snapshot, in a session that has begun. `label`: how the history names what the
  /// user asked for.
  func restore(
    _ chosen: StoredSnapshot, label: StepLabel?, _ refs: Refs, _ session: inout RestoreSession,
    holding lock: borrowing StoreLock<ChangesFolder>
  ) throws(RepositoryError) -> RestoreSummary {
    try session.compareWithPosition()
    let part = RestorePart(paths: try paths(of: chosen, session), kept: options.kept, keepExtra: options.keepExtra)
    // A restore of paths ignores changes elsewhere: it does not save them, and its step does not contain them. A step does
    // not remember more paths than the limit: then it is one of the whole folder, and changes elsewhere are saved, too.
    let isIsolated = !part.paths.isEmpty && part.paths.count <= RestoreOperation.mostPaths
    try session.select(part, isIsolated: isIsolated)
    try session.check(options.paths, in: chosen)
    let aim = try session.aim(at: chosen)
    let now = session.now
    if !part.paths.isEmpty, aim.tree == now.tree, aim.links == now.links {
      return try session.finish(aim, commit(to: chosen, chosen, label, nil, true, refs, session), holding: lock)
    }
    try session.compareWithPosition()
    try session.comparePartWithPosition()
    let seen = try session.seen()
    let hasNothing = !options.savesEmptyFolder && session.before == nil && seen.entries == 0
    let guarded =
      isSaved(session) || options.discard || options.isDryRun || hasNothing
      ? nil : try session.guardSnapshot(of: seen)
    let target = try session.stepSnapshot(chosen, seen, guard: guarded)
    try session.walk.finishPacks()
    return try session.finish(aim, commit(to: target, chosen, label, guarded, isIsolated, refs, session), holding: lock)
  }

  private func isSaved(_ session: RestoreSession) -> Bool { session.isSaved && !session.isObstructed }

  private func commit(
    to target: StoredSnapshot, _ chosen: StoredSnapshot, _ label: StepLabel?, _ guarded: StoredSnapshot?,
    _ isIsolated: Bool,
    _ refs: Refs, _ session: RestoreSession
  ) -> RestoreCommit {
    let before = session.before
    let paths = isIsolated ? session.guardedPart.paths : []
    let guardStep = guarded.map { GuardStep(snapshot: $0, paths: before == nil ? [] : paths) }
    return RestoreCommit(
      repository: repository, target: target, shown: chosen, paths: paths, kept: options.kept, guarded: guardStep,
      before: isSaved(session) ? before?.id : guarded?.id,
      position: options.followsTimeline ? step(of: target.id, refs.timeline, guardStep) : nil,
      label: label)
  }

  /// The name of the snapshot that the user used, or else another one of its names, or else the beginning of its id.
  static func label(of chosen: StoredSnapshot, _ asked: Revision, _ refs: Refs) -> String {
    let names = refs.states.names(of: chosen.id)
    let text = asked.description
    return names.contains(text) ? text : names.first ?? chosen.id.short
  }

  /// The last step up to the position that holds `snapshot`, on the timeline with the guard step added; nil when none
  /// does.
  private func step(of snapshot: ObjectID, _ timeline: FolderTimeline, _ guarded: GuardStep?) -> Int? {
    var timeline = timeline
    guarded?.add(to: &timeline)
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
