// Deletes names by a policy, all in one commit. Their snapshots stay until gc removes them.

internal import MementoStore
internal import MementoSystem

/// What `prune` does.
public struct PruneOptions: Sendable {
  /// What it keeps.
  public var policy = PrunePolicy()
  /// The names that the policy is about; nil for all.
  public var names: [String]?
  /// Whether it may remove all of them.
  public var allowsEmpty = false
  /// Plans and changes nothing.
  public var isDryRun = false

  /// Options with a policy.
  public init(_ policy: PrunePolicy = PrunePolicy()) {
    self.policy = policy
  }
}

/// A state that a policy keeps or removes.
public struct PrunedState: Equatable, Sendable {
  /// The name.
  public var name: String
  /// Its snapshot.
  public var snapshot: SnapshotID
  /// When the snapshot was made; nil when it cannot be read.
  public var time: SnapshotTime?
  /// Why it is kept, such as `daily 2026-11-20`; empty for a state that is removed.
  public var reasons: [String]
}

/// What `prune` has kept and removed.
public struct PruneSummary: Equatable, Sendable {
  /// The states that are kept, the newest first.
  public var kept: [PrunedState] = []
  /// The states that are removed, the newest first.
  public var removed: [PrunedState] = []
  /// False for a dry run, which changes nothing.
  public var isCommitted = false
}

struct PruneOperation {
  let repository: Repository
  let options: PruneOptions

  func run() throws(RepositoryError) -> PruneSummary {
    if options.isDryRun { return try plan() }
    return try run(holding: try repository.lockForNaming())
  }

  private func run(holding lock: borrowing StoreLock<UsesPacks>) throws(RepositoryError) -> PruneSummary {
    let plan = try plan()
    if plan.removed.isEmpty { return plan.committed() }
    let done = try repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in
      var done = plan
      // A name that was given to another snapshot meanwhile is not what the plan is about.
      done.removed = plan.removed.filter { refs[$0.name] == $0.snapshot.object }
      refs.states.set(done.removed.map { ($0.name, nil) })
      return done.committed()
    }
    var line = repository.journalEntry("delete", snapshot: nil, name: nil, at: Clock.now())
    repository.journal(
      done.removed.map { state in
        line.snapshot = state.snapshot.object
        line.name = state.name
        return line
      })
    return done
  }

  /// Throws `.wouldRemoveAll` unless that is allowed.
  private func plan() throws(RepositoryError) -> PruneSummary {
    let wanted = options.names.map { Set($0.map { Array($0.utf8) }) }
    let listed = try StateListing(repository: repository).run().filter {
      wanted?.contains(Array($0.name.utf8)) != false
    }
    let readable = listed.filter { $0.problem == nil }.sorted { $0.snapshot.time > $1.snapshot.time }
    guard let reasons = options.policy.reasons(for: readable.map(\.snapshot.time), repository.dates) else {
      throw RepositoryError(
        .invalidArgument, "\"\(options.policy.within ?? "")\" is not an age", reason: .unreadableDate)
    }
    var summary = PruneSummary()
    for (state, reasons) in zip(readable, reasons) {
      let pruned = PrunedState(
        name: state.name, snapshot: state.snapshot.id, time: state.snapshot.time, reasons: reasons)
      if reasons.isEmpty { summary.removed.append(pruned) } else { summary.kept.append(pruned) }
    }
    // Nobody knows how old these are, so no policy removes them.
    for state in listed where state.problem != nil {
      summary.kept.append(
        PrunedState(name: state.name, snapshot: state.snapshot.id, time: nil, reasons: ["it cannot be read"]))
    }
    if summary.kept.isEmpty, !summary.removed.isEmpty, !options.allowsEmpty {
      let count = summary.removed.count
      throw RepositoryError(
        .wouldRemoveAll, "the policy keeps none of \(count == 1 ? "the 1 state" : "the \(count) states")",
        reason: .emptyPolicy)
    }
    return summary
  }
}

extension PruneSummary {
  fileprivate func committed() -> PruneSummary {
    var summary = self
    summary.isCommitted = true
    return summary
  }
}
