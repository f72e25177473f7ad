// What `refs` says: which name means which snapshot, the timeline of the folder, and a restore that is under way.

/// A restore that has begun to change the folder.
package struct PendingRestore: Equatable, Sendable {
  /// What the folder becomes.
  package var target: ObjectID
  /// What the folder was; nil when it was not saved (`--discard`).
  package var before: ObjectID?
  /// The staging folder in tmp/.
  package var staging: String
  /// Where in the timeline the position goes; nil: a new step is added.
  package var position: Int?
  /// The only paths that change, sorted; empty when all do.
  package var paths: [[UInt8]]
  /// Patterns in gitignore's grammar: what they match is left as it is.
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
  package var generation: UInt64 = 0
  package var timeline = Timeline()
  package var pending: PendingRestore?
  package var states = StateTable()
  /// What lost its name or its step a short while ago.
  package internal(set) var trash = Trash()

  package init() {}

  package subscript(name: String) -> ObjectID? {
    get { states[name] }
    set { states[name] = newValue }
  }

  /// Whether a name, a step or a pending restore keeps a snapshot alive.
  package func keeps(_ id: ObjectID) -> Bool {
    timeline.steps.contains { $0.snapshot == id } || !states.names(of: id).isEmpty
      || pending.map { $0.target == id || $0.before == id } == true
  }

  /// Every snapshot that a name, a step or a pending restore keeps alive.
  package var roots: Set<ObjectID> {
    var result = Set(states.map(\.snapshot))
    for step in timeline.steps { result.insert(step.snapshot) }
    if let pending {
      result.insert(pending.target)
      if let before = pending.before { result.insert(before) }
    }
    return result
  }
}
