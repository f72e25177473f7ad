// Lists snapshots that are not on the timeline and that gc has not removed yet, as far as the journal names them: steps
// that were undone and then left behind, and values. Also notes which names were deleted.

internal import MementoStore
internal import MementoSystem

struct UnlistedSnapshots {
  private let index: Index
  private var journal: JournalReader
  /// A line that was read ahead, because it is not newer than the time that the last call asked for.
  private var waiting: JournalEntry?
  private var seen: Set<ObjectID>
  /// The deleted names by the snapshot that they meant. Holds only the lines read so far.
  private(set) var deletedNames: [ObjectID: [String]] = [:]

  init(_ repository: Repository, _ refs: Refs) throws(RepositoryError) {
    index = repository.store.index
    journal = try translating { () throws(StoreError) in try Journal(repository.store.folder).newestFirst() }
    seen = Set(refs.timeline.steps.map(\.snapshot))
  }

  /// The word that the journal uses when a snapshot is made, and the operation that history shows for it.
  private static let operations: [String: StepOperation] = [
    "save": .save, "guard": .guarded, "part": .restore, "interrupted": .guarded,
  ]

  /// The next older snapshot, if it is newer than `time`. Without `time` there is no bound.
  mutating func next(after time: Timestamp?) throws(StoreError) -> HistoryStep? {
    while true {
      var line = waiting
      if line == nil { line = try journal.next() }
      guard let line else { return nil }
      if let time, line.time <= time {
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
