// Which states a policy keeps, and why: those of this store, and those of a remote.

internal import MementoModel

struct PrunePlan {
  /// A state that the policy is about.
  struct Candidate {
    let name: String
    let snapshot: SnapshotID
    /// Nil when the snapshot cannot be read.
    let time: SnapshotTime?
    /// Whether it is a single value. Values and folders are counted apart: a value that is written each day says nothing of
    /// which folder was the last.
    let isValue: Bool
  }

  private let options: PruneOptions
  private let dates: DateReader

  init(_ options: PruneOptions, _ dates: DateReader) {
    self.options = options
    self.dates = dates
  }

  /// What goes and what stays, the newest first. Throws `.wouldRemoveAll` unless that is allowed.
  func summary(of candidates: [Candidate]) throws(RepositoryError) -> PruneSummary {
    var readable: [(state: Candidate, time: SnapshotTime)] = []
    var summary = PruneSummary()
    var unreadable: [PrunedState] = []
    for state in candidates {
      if let time = state.time {
        readable.append((state, time))
      } else {
        // Nobody knows how old it is, so no policy removes it.
        unreadable.append(
          PrunedState(name: state.name, snapshot: state.snapshot, time: nil, reasons: ["it cannot be read"]))
      }
    }
    readable.sort { $0.time > $1.time }
    // By the places in `readable`.
    var reasons = [[String]](repeating: [], count: readable.count)
    for isValue in [false, true] {
      let places = readable.indices.filter { readable[$0].state.isValue == isValue }
      guard let found = options.policy.reasons(for: places.map { readable[$0].time }, dates) else {
        throw RepositoryError(
          .invalidArgument, "\"\(options.policy.within ?? "")\" is not an age", reason: .unreadableDate)
      }
      for (place, found) in zip(places, found) { reasons[place] = found }
    }
    for (found, reasons) in zip(readable, reasons) {
      let pruned = PrunedState(
        name: found.state.name, snapshot: found.state.snapshot, time: found.time, reasons: reasons)
      if reasons.isEmpty { summary.removed.append(pruned) } else { summary.kept.append(pruned) }
    }
    summary.kept += unreadable
    if summary.kept.isEmpty, !summary.removed.isEmpty, !options.allowsEmpty {
      let count = summary.removed.count
      throw RepositoryError(
        .wouldRemoveAll, "the policy keeps none of \(count == 1 ? "the 1 state" : "the \(count) states")",
        reason: .emptyPolicy)
    }
    return summary
  }
}
