// What is on no timeline any more and not dropped by gc yet, as far as the journal tells: what undo left behind, values that
// were replaced, and which names were deleted.

internal import MementoStore
internal import MementoSystem

struct LeftBehind {
  private let index: Index
  private var journal: JournalReader
  /// A line that is older than what was asked for.
  private var waiting: JournalEntry?
  private var seen: Set<ObjectID>
  /// By what they meant; of the lines that were passed so far.
  private(set) var deletedNames: [ObjectID: [String]] = [:]

  init(_ repository: Repository, _ refs: Refs) throws(RepositoryError) {
    index = repository.store.index
    journal = try translating { () throws(StoreError) in try Journal(repository.store.folder).newestFirst() }
    seen = Set(refs.timeline.steps.map(\.snapshot))
  }

  /// What the lines of the journal call the making of a snapshot, and what history calls it.
  private static let operations: [String: StepOperation] = [
    "save": .save, "guard": .guarded, "part": .restore, "interrupted": .guarded,
  ]

  /// The next older snapshot, if it is newer than `time`.
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
      } else if let operation = LeftBehind.operations[line.operation], !seen.contains(id), try index.contains(id) {
        seen.insert(id)
        return HistoryStep(operation: operation, time: line.time, snapshot: id)
      }
    }
  }

  /// The snapshot is listed already.
  mutating func passed(_ snapshot: ObjectID) {
    seen.insert(snapshot)
  }
}
