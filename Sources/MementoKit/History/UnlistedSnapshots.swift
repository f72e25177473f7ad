// Lists snapshots that are not on the timeline and that gc has not removed yet: those that the journal names, which are steps
// that were undone and then left behind, and values; and states that it does not name, such as those of a clone. Also notes
// which names were deleted.

internal import MementoStore
internal import MementoSystem

struct UnlistedSnapshots {
  private let index: Index
  private var journal: JournalReader
  /// A line that was read ahead, because it is not newer than the time that the last call asked for.
  private var waiting: JournalEntry?
  private var seen: Set<ObjectID>
  /// The states that are not on the timeline, the newest last.
  private var named: [(time: Timestamp, snapshot: ObjectID)]
  /// The deleted names by the snapshot that they meant. Holds only the lines read so far.
  private(set) var deletedNames: [ObjectID: [String]] = [:]

  init(_ repository: Repository, _ refs: Refs) throws(RepositoryError) {
    index = repository.store.index
    journal = try translating { () throws(StoreError) in try Journal(repository.store.folder).newestFirst() }
    let seen = Set(refs.timeline.steps.map(\.snapshot))
    self.seen = seen
    named = UnlistedSnapshots.states(repository.store, refs, besides: seen)
  }

  /// So many records are read by one core at a time.
  private static let row = 256

  /// A state whose record cannot be read comes last, and is the error of its turn.
  private static func states(
    _ store: Store, _ refs: Refs, besides seen: Set<ObjectID>
  ) -> [(time: Timestamp, snapshot: ObjectID)] {
    var known = seen
    var snapshots: [ObjectID] = []
    for state in refs.states where known.insert(state.snapshot).inserted { snapshots.append(state.snapshot) }
    let all = snapshots
    let times = ParallelRows.map(all.count, rowsOf: row) { numbers in
      numbers.map { (try? SnapshotRecord.read(all[$0], from: store).time) ?? .distantPast }
    }
    return zip(times, all).map { (time: $0, snapshot: $1) }.sorted { ($0.time, $0.snapshot) < ($1.time, $1.snapshot) }
  }

  /// The word that the journal uses when a snapshot is made, and the operation that history shows for it.
  private static let operations: [String: StepOperation] = [
    "save": .save, "guard": .guarded, "part": .restore, "interrupted": .guarded,
  ]

  /// The next older snapshot, if it is newer than `time`. Without `time` there is no bound.
  mutating func next(after time: Timestamp?) throws(StoreError) -> HistoryStep? {
    while let newest = named.last, seen.contains(newest.snapshot) { named.removeLast() }
    if let step = try nextOfJournal(after: time) { return step }
    guard let newest = named.last, time.map({ newest.time > $0 }) ?? true else { return nil }
    named.removeLast()
    seen.insert(newest.snapshot)
    return HistoryStep(
      operation: .save, time: newest.time, snapshot: newest.snapshot, isOfName: true,
      isUnread: newest.time == .distantPast)
  }

  /// The same of the snapshots that the journal names, unless a state is newer.
  private mutating func nextOfJournal(after time: Timestamp?) throws(StoreError) -> HistoryStep? {
    while true {
      var line = waiting
      if line == nil { line = try journal.next() }
      guard let line else { return nil }
      if time.map({ line.time <= $0 }) ?? false || named.last.map({ line.time < $0.time }) ?? false {
        waiting = line
        return nil
      }
      waiting = nil
      guard let id = line.snapshot else { continue }
      if line.operation == "delete", let name = line.name {
        deletedNames[id, default: []].append(name)
      } else if let operation = UnlistedSnapshots.operations[line.operation], !seen.contains(id), try index.contains(id)
      {
        seen.insert(id)
        return HistoryStep(operation: operation, time: line.time, snapshot: id)
      }
    }
  }

  /// Notes that the list already shows this snapshot.
  mutating func passed(_ snapshot: ObjectID) {
    seen.insert(snapshot)
  }
}
