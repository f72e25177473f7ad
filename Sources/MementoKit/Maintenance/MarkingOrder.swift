// In which order the pieces of a collection mark what is kept whatever the rules say. gc reads the records of all names
// for that (see SnapshotOrder); a piece has no time to read them, so it asks the timeline.

internal import MementoStore

struct MarkingOrder {
  /// What these need stays in blocks that are fast to read, as in gc: the position, and what was saved last before it.
  static let newestSnapshots = 4

  /// Of each snapshot on the timeline, its newest step.
  private var steps: [ObjectID: Int] = [:]

  init(_ refs: Refs) {
    for (number, step) in refs.timeline.steps.enumerated() { steps[step.snapshot] = number }
    if let position = refs.timeline.current?.snapshot { steps[position] = .max }
  }

  /// Those that are not on the timeline, then the others from the oldest step on, and last the position: the last is
  /// marked first.
  func newestLast(_ snapshots: Set<ObjectID>) -> [ObjectID] {
    snapshots.sorted { (steps[$0] ?? -1, $0) < (steps[$1] ?? -1, $1) }
  }
}
