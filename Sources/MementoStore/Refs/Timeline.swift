// The states that a folder went through, and which of them it is in: what undo and redo move along.

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
  /// The only paths that the step changed, relative to the folder: those of a restore of paths, sorted by their bytes. Empty
  /// for a step that is about the whole folder. Undo and redo of the step change nothing else.
  package var paths: [[UInt8]]

  package init(operation: StepOperation, time: Timestamp, snapshot: ObjectID, paths: [[UInt8]] = []) {
    self.operation = operation
    self.time = time
    self.snapshot = snapshot
    self.paths = paths
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

  /// Adds a step after the current one and makes it current; what was undone before stays behind it.
  package mutating func insert(_ step: TimelineStep) {
    guard let position else { return append(step) }
    steps.insert(step, at: position + 1)
    self.position = position + 1
    if steps.count > Timeline.limit {
      steps.removeFirst()
      self.position = position
    }
  }

  /// Puts a step in the place of the current one. The steps after it stay, so that redo still reaches them.
  package mutating func replaceCurrent(with step: TimelineStep) {
    guard let position else { return append(step) }
    steps[position] = step
  }

  /// The snapshots of steps that `old` has and this has not, each once, and whether an undo had gone back before them. Not
  /// those that have become too old for it, and not one whose place another record has taken: it is the parent of that one,
  /// and gc keeps it.
  func dropped(from old: Timeline) -> [(snapshot: ObjectID, wasUndone: Bool)] {
    let start = zip(old.steps, steps).prefix { $0 == $1 }.count
    var left = old.steps[start...]
    if left.isEmpty { return [] }
    var seen = Set(steps.map(\.snapshot))
    let position = old.position ?? 0
    if hasReplacedCurrent(of: old) { seen.insert(old.steps[position].snapshot) }
    if steps.count >= Timeline.limit {
      while let first = left.first, left.startIndex < position, !seen.contains(first.snapshot) { left.removeFirst() }
    }
    return left.indices.compactMap { index in
      seen.insert(left[index].snapshot).inserted ? (left[index].snapshot, index > position) : nil
    }
  }

  private func hasReplacedCurrent(of old: Timeline) -> Bool {
    guard let position, position == old.position, steps.count == old.steps.count else { return false }
    return steps[..<position] == old.steps[..<position] && steps[(position + 1)...] == old.steps[(position + 1)...]
  }

  /// Makes another step current; false when there is none there.
  package mutating func move(to index: Int) -> Bool {
    guard steps.indices.contains(index) else { return false }
    position = index
    return true
  }
}
