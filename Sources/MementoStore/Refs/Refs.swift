// The content of `refs`: the names of snapshots, the timeline of the folder, and a restore in progress.

/// A restore that has begun to change the folder.
package struct PendingRestore: Equatable, Sendable {
  /// The snapshot that the restore applies.
  package var target: ObjectID
  /// The snapshot of the folder before the restore. Nil when it was not saved (`--discard`).
  package var before: ObjectID?
  /// The name of its staging folder in tmp/.
  package var staging: String
  /// The index of the step that becomes current. Nil: the restore adds a new step.
  package var position: Int?
  /// The only paths that the restore changes, sorted. Empty when it changes all.
  package var paths: [[UInt8]]
  /// Patterns in gitignore's grammar. The restore does not change what they match.
  package var kept: [[UInt8]]

  package init(
    target: ObjectID, before: ObjectID?, staging: String, position: Int?, paths: [[UInt8]] = [], kept: [[UInt8]] = []
  ) {
    self.target = target
    self.before = before
    self.staging = staging
    self.position = position
    self.paths = paths
    self.kept = kept
  }
}

/// The whole content of `refs`.
package struct Refs: Equatable, Sendable {
  /// Counts the changes of `refs`.
  package var generation: UInt64 = 0
  package var timeline = FolderTimeline()
  package var pending: PendingRestore?
  /// The other folders of the store, in the order in which they came.
  package var forks: [ForkedFolder] = []
  package var states = StateTable()
  /// What the user has noted beside snapshots.
  package var notes = SnapshotNotes()
  /// Snapshots that lost their name or their step.
  package internal(set) var trash = Trash()
  /// How much time the store has seen pass. Nil when there is nothing whose age counts.
  package internal(set) var clock: LivedClock?

  package init() {}

  /// The snapshot of a name. Nil when there is no such name; setting nil deletes the name.
  package subscript(name: String) -> ObjectID? {
    get { states[name] }
    set { states[name] = newValue }
  }

  /// Whether there is something whose age counts.
  var needsClock: Bool { !trash.isEmpty || timelines.contains { !$0.steps.isEmpty } }

  /// Whether a name, a step or a pending restore keeps a snapshot alive.
  package func keeps(_ id: ObjectID) -> Bool {
    timelines.contains { $0.steps.contains { $0.snapshot == id } } || !states.names(of: id).isEmpty
      || allPending.contains { $0.target == id || $0.before == id }
  }

  /// Every snapshot that a name, a step or a pending restore keeps alive.
  package var roots: Set<ObjectID> {
    var result = Set(states.map(\.snapshot))
    for timeline in timelines {
      for step in timeline.steps { result.insert(step.snapshot) }
    }
    for pending in allPending {
      result.insert(pending.target)
      if let before = pending.before { result.insert(before) }
    }
    return result
  }
}
