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

  private func plan() throws(RepositoryError) -> PruneSummary {
    let wanted = options.names.map { Set($0.map { Array($0.utf8) }) }
    let listed = try StateListing(repository: repository).run().filter {
      wanted?.contains(Array($0.name.utf8)) != false
    }
    return try PrunePlan(options, repository.dates).summary(
      of: listed.map { state in
        // Nobody knows how old it is when it cannot be read.
        PrunePlan.Candidate(
          name: state.name, snapshot: state.snapshot.id, time: state.problem == nil ? state.snapshot.time : nil,
          isValue: state.snapshot.kind == .value)
      })
  }
}

extension PruneSummary {
  func committed() -> PruneSummary {
    var summary = self
    summary.isCommitted = true
    return summary
  }
}
