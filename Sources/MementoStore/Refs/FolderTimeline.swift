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
  /// When it came, in seconds that the store had seen pass: its age does not depend on the time of day. Nil until the
  /// step is written; then the commit sets it.
  package internal(set) var lived: UInt64?
  /// What it did, for people. Nil where nothing is known of it.
  package var story: StepStory?

  package init(
    operation: StepOperation, time: Timestamp, snapshot: ObjectID, paths: [[UInt8]] = [], lived: UInt64? = nil,
    story: StepStory? = nil
  ) {
    self.operation = operation
    self.time = time
    self.snapshot = snapshot
    self.paths = paths
    self.lived = lived
    self.story = story
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

  /// Puts other snapshots in the place of some. A step of only some paths that have all been removed becomes one of the
  /// whole folder, and changes nothing. What a changed step did is forgotten: the words of a command may name what was
  /// taken out, and the counts are no longer true.
  mutating func exchange(_ change: SnapshotExchange) {
    for index in steps.indices {
      if let new = change.snapshots[steps[index].snapshot] {
        steps[index].snapshot = new
        steps[index].story = nil
      }
      steps[index].paths.removeAll { change.removed.contains($0) }
    }
  }

  /// Gives an age to all steps that have none.
  mutating func stamp(_ lived: UInt64) {
    // New steps are at the position or next to it; a store of an earlier version has none with an age.
    for index in steps.indices where steps[index].lived == nil { steps[index].lived = lived }
  }

  /// Drops the oldest steps, at most `count`, and never the current one.
  package mutating func dropOldest(_ count: Int) {
    guard let position else { return }
    let dropped = max(0, min(count, position))
    steps.removeFirst(dropped)
    self.position = position - dropped
  }

  /// Drops the oldest steps. Throws when it does not begin with them, or when one is current: somebody has changed it.
  mutating func expire(_ oldest: [TimelineStep]) throws(StoreError) {
    if oldest.isEmpty { return }
    guard steps.starts(with: oldest), let position, position >= oldest.count else {
      throw .system(operation: "write", path: "refs", .stale)
    }
    dropOldest(oldest.count)
  }

  /// The steps that `old` has and whose snapshots no step of this timeline has, each snapshot once, and why they are
  /// gone. A current step that was replaced is left out: its snapshot is the parent of the new one, so gc keeps it.
  func dropped(from old: FolderTimeline) -> [(step: TimelineStep, reason: TrashReason)] {
    let position = old.position ?? 0
    let passed = passed(from: old)
    var start = passed
    while start < old.steps.count, start - passed < steps.count, old.steps[start] == steps[start - passed] {
      start += 1
    }
    if passed == 0, start == old.steps.count { return [] }
    let gone = Array(old.steps.indices[..<passed]) + Array(old.steps.indices[start...])
    // Mostly it is one of a thousand: only of these few is it asked which others have their snapshots.
    let asked = Set(gone.map { old.steps[$0].snapshot })
    var seen: Set<ObjectID> = []
    for step in steps where asked.contains(step.snapshot) { seen.insert(step.snapshot) }
    if hasReplacedCurrent(of: old) { seen.insert(old.steps[position].snapshot) }
    return gone.compactMap { index in
      let step = old.steps[index]
      guard seen.insert(step.snapshot).inserted else { return nil }
      return (step, index < passed ? .passed : index > position ? .undone : .replaced)
    }
  }

  /// How many steps of `old` fell off the beginning because this timeline is full.
  private func passed(from old: FolderTimeline) -> Int {
    guard steps.count >= FolderTimeline.limit, let first = steps.first, old.steps.first != first else { return 0 }
    // Without a common step nothing says what fell off and what was replaced: all that was not undone is kept longest.
    return old.steps.firstIndex(of: first) ?? min(old.steps.count, (old.position ?? 0) + 1)
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
