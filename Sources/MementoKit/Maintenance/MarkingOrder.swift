// In which order the pieces of a collection mark what is kept whatever the rules say. gc reads the records of all names
// for that (see SnapshotOrder); a piece has no time to read them, so it asks the timelines.

internal import MementoStore

struct MarkingOrder {
  /// What so many of each folder need stays in blocks that are fast to read, as in gc: the position, and what was saved
  /// last before it.
  private static let newestSnapshots = 4

  /// Of each snapshot on a timeline, how far before the end its newest step is: -1 for the last one.
  private var steps: [ObjectID: Int] = [:]
  /// The positions and the newest steps before them, for each folder the newest first.
  private var newest: [ObjectID] = []

  /// `kept`: the snapshots that stay.
  init(_ refs: Refs, _ kept: Set<ObjectID>) {
    for timeline in refs.timelines {
      for (number, step) in timeline.steps.enumerated() {
        steps[step.snapshot] = max(steps[step.snapshot] ?? .min, number - timeline.steps.count)
      }
      guard let position = timeline.position else { continue }
      var found: [ObjectID] = []
      for step in timeline.steps[...position].reversed() where found.count < MarkingOrder.newestSnapshots {
        if kept.contains(step.snapshot), !found.contains(step.snapshot) { found.append(step.snapshot) }
      }
      newest += found.filter { !newest.contains($0) }
    }
  }

  /// These and the newest. The last is to be marked first: after those that are on no timeline come the others from
  /// the oldest step on, and last the newest.
  func newestLast(_ snapshots: Set<ObjectID>) -> (others: [ObjectID], newest: [ObjectID]) {
    let others = snapshots.subtracting(newest).sorted { (steps[$0] ?? .min, $0) < (steps[$1] ?? .min, $1) }
    return (others, newest.reversed())
  }
}
