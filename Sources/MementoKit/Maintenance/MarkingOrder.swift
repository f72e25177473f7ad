// In which order the pieces of a collection mark what is kept whatever the rules say. gc reads the records of all names
// for that (see SnapshotOrder); a piece has no time to read them, so it asks the timeline.

internal import MementoStore

struct MarkingOrder {
  /// What so many need stays in blocks that are fast to read, as in gc: the position, and what was saved last before it.
  private static let newestSnapshots = 4

  /// Of each snapshot on the timeline, its newest step.
  private var steps: [ObjectID: Int] = [:]
  /// The position and the newest steps before it, the newest first.
  private var newest: [ObjectID] = []

  /// `kept`: the snapshots that stay.
  init(_ refs: Refs, _ kept: Set<ObjectID>) {
    for (number, step) in refs.timeline.steps.enumerated() { steps[step.snapshot] = number }
    guard let position = refs.timeline.position else { return }
    for step in refs.timeline.steps[...position].reversed() where newest.count < MarkingOrder.newestSnapshots {
      if kept.contains(step.snapshot), !newest.contains(step.snapshot) { newest.append(step.snapshot) }
    }
  }

  /// These and the newest. The last is to be marked first: before those that are not on the timeline come the others from
  /// the oldest step on, and last the newest.
  func newestLast(_ snapshots: Set<ObjectID>) -> (others: [ObjectID], newest: [ObjectID]) {
    let others = snapshots.subtracting(newest).sorted { (steps[$0] ?? -1, $0) < (steps[$1] ?? -1, $1) }
    return (others, newest.reversed())
  }
}
