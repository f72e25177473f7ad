// Lists: the states by name, and the timeline.

internal import MementoStore
internal import MementoSystem

struct SnapshotHistory {
  private let repository: Repository

  init(_ repository: Repository) {
    self.repository = repository
  }

  func states() throws(RepositoryError) -> [ListedState] {
    let refs = try repository.readRefs()
    let current = refs.timeline.current?.snapshot
    var result: [ListedState] = []
    result.reserveCapacity(refs.states.count)
    for state in refs.states {
      guard let found = try repository.record(of: state.snapshot) else { continue }
      result.append(
        ListedState(name: state.name, isCurrent: found.id == current, snapshot: Snapshot(found.id, found.record)))
    }
    return result
  }

  /// The timeline from its newest step; past its oldest, and from a snapshot that was named, the parents.
  func log(_ options: LogOptions) throws(RepositoryError) -> [LogEntry] {
    let refs = try repository.readRefs()
    let limit = options.limit ?? .max
    var names: [ObjectID: [String]] = [:]
    for state in refs.states { names[state.snapshot, default: []].append(state.name) }
    let current = refs.timeline.current?.snapshot
    var entries: [LogEntry] = []
    var next: ObjectID?
    if let revision = options.from {
      next = try RevisionResolver(repository, refs).resolve(revision).0
    } else {
      let position = refs.timeline.position
      for (index, step) in refs.timeline.steps.enumerated().reversed() where entries.count < limit {
        guard let found = try repository.record(of: step.snapshot) else { continue }
        entries.append(
          LogEntry(
            operation: step.operation.rawValue, time: SnapshotTime(step.time), isCurrent: index == position,
            names: names[found.id] ?? [], snapshot: Snapshot(found.id, found.record)))
      }
      next = try refs.timeline.steps.first.flatMap { (step) throws(RepositoryError) in
        try repository.record(of: step.snapshot)?.record.parent
      }
    }
    while let id = next, entries.count < limit, repository.store.index.place(of: id) != nil {
      guard let found = try repository.record(of: id) else { break }
      entries.append(
        LogEntry(
          operation: "save", time: SnapshotTime(found.record.time), isCurrent: options.from != nil && id == current,
          names: names[id] ?? [], snapshot: Snapshot(id, found.record)))
      next = found.record.tree == nil ? found.record.replaces : found.record.parent
    }
    return entries
  }
}
