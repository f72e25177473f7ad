// The states that are searched when none is named: all that `log` with `showsAll` lists, and what only the trash keeps. Newest
// first.

internal import MementoStore

struct KnownStates {
  let repository: Repository

  /// `isUnique`: lists a snapshot once, at its newest step.
  func all(isUnique: Bool) throws(RepositoryError) -> [LogEntry] {
    try repository.withoutWaiting { () throws(RepositoryError) in try list(isUnique: isUnique) }
  }

  /// The entries of these snapshots, in this order.
  func named(_ revisions: [Revision]) throws(RepositoryError) -> [LogEntry] {
    try repository.withoutWaiting { () throws(RepositoryError) in
      let refs = try repository.readRefs()
      let resolver = RevisionResolver(repository, refs)
      return try revisions.map { (revision) throws(RepositoryError) in
        entry(try resolver.resolve(revision), refs)
      }
    }
  }

  private func list(isUnique: Bool) throws(RepositoryError) -> [LogEntry] {
    var options = LogOptions()
    options.showsAll = true
    var seen: Set<SnapshotID> = []
    var entries = try SnapshotHistory(repository).log(options).filter {
      let isNew = seen.insert($0.snapshot.id).inserted
      return isNew || !isUnique
    }
    let refs = try repository.readRefs()
    var further: [LogEntry] = []
    // Named meanwhile.
    for state in refs.states where seen.insert(SnapshotID(state.snapshot)).inserted {
      if let record = try repository.record(of: state.snapshot) { further.append(entry(record, refs)) }
    }
    let trash = try translating { () throws(StoreError) in try repository.store.refs.trash(refs).map(\.snapshot) }
    for id in trash where seen.insert(SnapshotID(id)).inserted {
      guard try repository.isStored(id), let record = try repository.record(of: id) else { continue }
      further.append(entry(record, refs))
    }
    if further.isEmpty { return entries }
    for entry in further.sorted(by: { $0.time > $1.time }) {
      entries.insert(entry, at: entries.firstIndex { $0.time < entry.time } ?? entries.count)
    }
    return entries
  }

  private func entry(_ stored: StoredSnapshot, _ refs: Refs) -> LogEntry {
    LogEntry(
      operation: .save, time: SnapshotTime(stored.record.time), isCurrent: stored.id == refs.timeline.current?.snapshot,
      names: refs.states.names(of: stored.id), snapshot: Snapshot(stored))
  }
}

/// What could not be read while states were searched. Damage to what gc has dropped meanwhile is none.
struct SearchProblems {
  private let repository: Repository
  private(set) var all: [Problem] = []
  private var seen: Set<Problem.Key> = []

  init(_ repository: Repository) {
    self.repository = repository
  }

  /// Notes what cannot be read at a path of a state; once for each path and reason.
  mutating func add(_ error: StoreError, at path: BytePath?, of state: LogEntry) throws(RepositoryError) {
    guard error.isLost else { throw RepositoryError(error) }
    let problem = Problem(path: path ?? BytePath(state.names.first ?? state.snapshot.id.short), message: error.message)
    guard seen.insert(Problem.Key(problem)).inserted, try repository.isStored(state.snapshot.id.object) else { return }
    all.append(problem)
  }

  /// The same for what a walk has found since its `count`th damage.
  mutating func add(_ walk: TreeWalk, from count: Int, of state: LogEntry) throws(RepositoryError) {
    try add(walk.damage[count...], of: state)
  }

  /// The same for trees that could not be read.
  mutating func add(
    _ damage: some Sequence<(path: BytePath, error: StoreError)>, of state: LogEntry
  ) throws(RepositoryError) {
    for (path, error) in damage { try add(error, at: path.bytes.isEmpty ? nil : path, of: state) }
  }
}

extension Problem {
  fileprivate struct Key: Hashable {
    let path: BytePath
    let message: String

    init(_ problem: Problem) {
      path = problem.path
      message = problem.message
    }
  }
}

extension StoredSnapshot {
  /// The content of a value. Nil for a folder.
  var value: SizedContent? {
    if case .value(let content) = record.body { return content }
    return nil
  }
}

extension TreeEntry {
  /// The content of a regular file. Nil for anything else.
  var sizedContent: SizedContent? {
    if case .file(let size, let content) = content { return SizedContent(size: size, content: content) }
    return nil
  }
}
