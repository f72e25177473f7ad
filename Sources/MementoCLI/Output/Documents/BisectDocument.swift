// The JSON of `memento bisect`.

import MementoKit

struct BisectDocument: Encodable {
  struct State: Encodable {
    let names: [String]
    let snapshot: SnapshotDocument

    init(_ state: LogEntry) {
      names = state.names
      snapshot = SnapshotDocument(state.snapshot)
    }
  }

  struct Step: Encodable {
    /// The id of the snapshot.
    let snapshot: String
    /// `good`, `bad` or `skip`.
    let verdict: String
    /// The exit status of the command; null when the state could not be put into the scratch folder.
    let status: OrNull<Int32>

    init(_ step: BisectStep) {
      snapshot = step.state.snapshot.id.description
      verdict = step.verdict.rawValue
      status = OrNull(step.status)
    }
  }

  private static let mostChanges = 1000

  let schema = 1
  /// `parents` when each state is the parent of the next, otherwise `time`.
  let order: String
  /// How many states were searched, with both ends.
  let states: Int
  /// How many were left out because they are equal to the one before.
  let equal: Int
  let steps: [Step]
  /// Null when skipped states leave several.
  let firstBad: OrNull<State>
  let lastGood: State
  /// One of these is the first bad one; the oldest comes first.
  let suspects: [State]
  /// The first thousand paths that differ between the last good state and the oldest one that is known to be bad.
  let changes: [ChangeDocument]
  let changesOmitted: Int
  let problems: [ProblemDocument]
  /// The scratch folder; null unless it was kept.
  let scratch: OrNull<String>
  let scratchB64: String?

  init(
    _ range: BisectRange, _ found: BisectSearch, _ steps: [BisectStep], _ problems: [Problem],
    _ comparison: Comparison, scratch: BytePath?
  ) {
    order = range.order.description
    states = range.states.count
    equal = range.equal
    self.steps = steps.map(Step.init)
    suspects = found.suspects.map { State(range.states[$0]) }
    firstBad = OrNull(suspects.count == 1 ? suspects[0] : nil)
    lastGood = State(range.states[found.lastGood])
    changes = ChangeDocument.list(Array(comparison.changes.prefix(BisectDocument.mostChanges)), nil)
    changesOmitted = max(0, comparison.changes.count - BisectDocument.mostChanges)
    self.problems = (problems + comparison.problems).map(ProblemDocument.init)
    self.scratch = OrNull(scratch?.lossyText)
    scratchB64 = scratch?.base64
  }
}
