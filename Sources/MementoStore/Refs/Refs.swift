// What `refs` says: which name means which snapshot, the timeline of the folder, and a restore that is under way.

package import MementoSystem

/// What added a step to the timeline.
package enum StepOperation: String, Sendable, CaseIterable {
  case save
  case restore
  /// The folder as it was before a restore, undo or redo changed it.
  case guarded = "guard"
}

/// One state that the folder went through.
package struct TimelineStep: Equatable, Sendable {
  package var operation: StepOperation
  package var time: Timestamp
  package var snapshot: ObjectID

  package init(operation: StepOperation, time: Timestamp, snapshot: ObjectID) {
    self.operation = operation
    self.time = time
    self.snapshot = snapshot
  }
}

/// The sequence of states of the folder, oldest first, with the current one. Undo and redo move the position.
package struct Timeline: Equatable, Sendable {
  /// More steps than this are not kept; older history follows the parents of snapshots.
  package static let limit = 1000

  package private(set) var steps: [TimelineStep]
  /// Index of the current step; nil only when there are no steps.
  package private(set) var position: Int?

  package init() {
    steps = []
  }

  /// Nil when the position is not that of a step.
  package init?(steps: [TimelineStep], position: Int?) {
    if let position {
      guard steps.indices.contains(position) else { return nil }
    } else if !steps.isEmpty {
      return nil
    }
    self.steps = steps
    self.position = position
  }

  package var current: TimelineStep? { position.map { steps[$0] } }

  /// Adds a step after the current one and makes it current; what was undone before is dropped.
  package mutating func append(_ step: TimelineStep) {
    if let position { steps.removeSubrange((position + 1)...) }
    steps.append(step)
    if steps.count > Timeline.limit { steps.removeFirst(steps.count - Timeline.limit) }
    position = steps.count - 1
  }

  /// Makes another step current; false when there is none there.
  package mutating func move(to index: Int) -> Bool {
    guard steps.indices.contains(index) else { return false }
    position = index
    return true
  }
}

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

  package init(target: ObjectID, before: ObjectID?, staging: String, position: Int?) {
    self.target = target
    self.before = before
    self.staging = staging
    self.position = position
  }
}

/// A name and what it means.
package struct NamedState: Equatable, Sendable {
  package var name: String
  package var snapshot: ObjectID

  package init(name: String, snapshot: ObjectID) {
    self.name = name
    self.snapshot = snapshot
  }
}

/// The whole content of `refs`.
package struct Refs: Equatable, Sendable {
  package var generation: UInt64 = 0
  package var timeline = Timeline()
  package var pending: PendingRestore?
  /// Sorted by the bytes of the name, no name twice.
  package private(set) var states: [NamedState] = []

  package init() {}

  package subscript(name: String) -> ObjectID? {
    get {
      let index = position(of: name)
      return index < states.count && states[index].name.utf8.elementsEqual(name.utf8)
        ? states[index].snapshot : nil
    }
    set {
      let index = position(of: name)
      let exists = index < states.count && states[index].name.utf8.elementsEqual(name.utf8)
      switch (newValue, exists) {
      case (let id?, true): states[index].snapshot = id
      case (let id?, false): states.insert(NamedState(name: name, snapshot: id), at: index)
      case (nil, true): states.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// Takes all these names away, in one pass.
  package mutating func remove(_ names: [String]) {
    let gone = Set(names.map { Array($0.utf8) })
    states.removeAll { gone.contains(Array($0.name.utf8)) }
  }

  /// The names of each of these snapshots, in one pass.
  package func names(of snapshots: some Collection<ObjectID>) -> [ObjectID: [String]] {
    if snapshots.isEmpty { return [:] }
    let wanted = Set(snapshots)
    var result: [ObjectID: [String]] = [:]
    for state in states where wanted.contains(state.snapshot) { result[state.snapshot, default: []].append(state.name) }
    return result
  }

  /// The first index whose name is not before `name`.
  private func position(of name: String) -> Int {
    var low = 0
    var high = states.count
    while low < high {
      let middle = (low + high) / 2
      if states[middle].name.utf8.lexicographicallyPrecedes(name.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Enters a state that sorts after all that are there, which the caller has seen to.
  mutating func append(_ state: NamedState) {
    states.append(state)
  }

  /// Whether `refs` keeps a snapshot alive.
  package func keeps(_ id: ObjectID) -> Bool {
    timeline.steps.contains { $0.snapshot == id } || states.contains { $0.snapshot == id }
      || pending.map { $0.target == id || $0.before == id } == true
  }

  /// Every snapshot that `refs` keeps alive.
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
