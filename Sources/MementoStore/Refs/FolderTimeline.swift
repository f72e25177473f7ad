// The states that a folder went through, and the current one of them. Undo and redo move between them.

package import MementoSystem

/// The operation that added a step to the timeline.
package enum StepOperation: String, Sendable, CaseIterable {
  case save
  case restore
  /// A restore, undo or redo saved the folder before it changed it.
  case guarded = "guard"
}

/// One state that the folder went through.
package struct TimelineStep: Equatable, Sendable {
  package var operation: StepOperation
  package var time: Timestamp
  package var snapshot: ObjectID
  /// For a restore of paths: the only paths that the step changed, relative to the folder and sorted by their bytes.
  /// Undo and redo of the step change nothing else. Empty for a step of the whole folder.
  package var paths: [[UInt8]]

  package init(operation: StepOperation, time: Timestamp, snapshot: ObjectID, paths: [[UInt8]] = []) {
    self.operation = operation
    self.time = time
    self.snapshot = snapshot
    self.paths = paths
  }
}

/// The sequence of states of the folder, oldest first, and the current one. Undo and redo move the position.
package struct FolderTimeline: Equatable, Sendable {
  /// The most steps that are kept. Older history is found through the parents of snapshots.
  package static let limit = 1000

  package private(set) var steps: [TimelineStep]
  /// The index of the current step. Nil only when there are no steps.
  package private(set) var position: Int?

  package init() {
    steps = []
  }

  /// Nil when `position` is not the index of a step, or is nil although there are steps.
  package init?(steps: [TimelineStep], position: Int?) {
    if let position {
      guard steps.indices.contains(position) else { return nil }
    } else if !steps.isEmpty {
      return nil
    }
    self.steps = steps
    self.position = position
  }

  /// The current step. Nil when there are no steps.
  package var current: TimelineStep? { position.map { steps[$0] } }

  /// Adds a step after the current one and makes it current. Drops the steps that were undone.
  package mutating func append(_ step: TimelineStep) {
    if let position { steps.removeSubrange((position + 1)...) }
    steps.append(step)
    if steps.count > FolderTimeline.limit { steps.removeFirst(steps.count - FolderTimeline.limit) }
    position = steps.count - 1
  }

  /// Adds a step after the current one and makes it current. Keeps the steps that were undone after it.
  package mutating func insert(_ step: TimelineStep) {
    guard let position else { return append(step) }
    steps.insert(step, at: position + 1)
    self.position = position + 1
    if steps.count > FolderTimeline.limit {
      steps.removeFirst()
      self.position = position
    }
  }

  /// Replaces the current step. The steps after it stay, so that redo still reaches them.
  package mutating func replaceCurrent(with step: TimelineStep) {
    guard let position else { return append(step) }
    steps[position] = step
  }

  /// Removes all steps with these snapshots, except the current one. A step of only some paths becomes one of the whole
  /// folder when the step before it goes: its snapshot is not that of the new step before but for these paths.
  package mutating func remove(_ snapshots: Set<ObjectID>) {
    guard let position else { return }
    var kept: [TimelineStep] = []
    var isFirstAfterGap = false
    for (index, step) in steps.enumerated() {
      if index != position, snapshots.contains(step.snapshot) {
        isFirstAfterGap = true
        continue
      }
      if index == position { self.position = kept.count }
      kept.append(step)
      if isFirstAfterGap { kept[kept.count - 1].paths = [] }
      isFirstAfterGap = false
    }
    steps = kept
  }

  /// The snapshots of steps that `old` has and this timeline has not, each once. `wasUndone`: whether an undo had gone
  /// back before the step. Steps that were dropped because the timeline was full are left out. So is a current step
  /// that was replaced: its snapshot is the parent of the new one, so gc keeps it.
  func dropped(from old: FolderTimeline) -> [(snapshot: ObjectID, wasUndone: Bool)] {
    let start = zip(old.steps, steps).prefix { $0 == $1 }.count
    var left = old.steps[start...]
    if left.isEmpty { return [] }
    var seen = Set(steps.map(\.snapshot))
    let position = old.position ?? 0
    if hasReplacedCurrent(of: old) { seen.insert(old.steps[position].snapshot) }
    if steps.count >= FolderTimeline.limit {
      while let first = left.first, left.startIndex < position, !seen.contains(first.snapshot) { left.removeFirst() }
    }
    return left.indices.compactMap { index in
      seen.insert(left[index].snapshot).inserted ? (left[index].snapshot, index > position) : nil
    }
  }

  private func hasReplacedCurrent(of old: FolderTimeline) -> Bool {
    guard let position, position == old.position, steps.count == old.steps.count else { return false }
    return steps[..<position] == old.steps[..<position] && steps[(position + 1)...] == old.steps[(position + 1)...]
  }

  /// Makes another step current. Returns false when there is no step with this index.
  package mutating func move(to index: Int) -> Bool {
    guard steps.indices.contains(index) else { return false }
    position = index
    return true
  }
}
