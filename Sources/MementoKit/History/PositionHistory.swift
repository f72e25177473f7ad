// Finds the snapshot at which the folder was at a given time. The timeline knows when each step was added. Only the
// journal knows when undo and redo moved the position, and which steps a save dropped after an undo.

internal import MementoStore
internal import MementoSystem

struct PositionHistory {
  let repository: Repository
  let refs: Refs
  let records: RecordReader

  /// The snapshot at the position at that time; nil when the history does not go back so far.
  func snapshot(at time: Timestamp) throws(RepositoryError) -> ObjectID? {
    var journal = try translating { () throws(StoreError) in try Journal(repository.store.folder).newestFirst() }
    let limit = Array(time.rfc3339.utf8)
    var isNow = !refs.timeline.steps.contains { $0.time > time }
    var moved: (time: Timestamp, snapshot: ObjectID)?
    // Times in UTC sort as text. A move that is newer than `time` shows that the position has changed since.
    while moved == nil {
      let line = try translating { () throws(StoreError) in
        try journal.next { line in
          guard let operation = operation(line) else { return false }
          if !line.prefix(30).lexicographicallyPrecedes(limit), !line.prefix(30).elementsEqual(limit) {
            isNow = isNow && !PositionHistory.isMove(operation)
            return false
          }
          return PositionHistory.isMove(operation) || operation.elementsEqual("save".utf8)
        }
      }
      guard let line else { break }
      guard let id = line.snapshot else { continue }
      // A value is never the position. When its record is gone, the line counts as a folder's, as most are.
      if line.operation == "save", let record = try records.kept(id), record.tree == nil { continue }
      moved = (line.time, id)
    }
    if isNow { return refs.timeline.current?.snapshot }
    let step = refs.timeline.steps.last { $0.time <= time }
    if let moved, moved.time >= step?.time ?? .distantPast { return moved.snapshot }
    if let step { return step.snapshot }
    return try ancestor(at: time)
  }

  /// Finds the snapshot among the parents of the oldest step.
  private func ancestor(at time: Timestamp) throws(RepositoryError) -> ObjectID? {
    guard let oldest = refs.timeline.steps.first else { return nil }
    var id = try records.kept(oldest.snapshot)?.parent
    while let next = id {
      guard let record = try records.kept(next) else { return nil }
      if record.time <= time { return next }
      id = record.parent
    }
    return nil
  }

  private static func isMove(_ operation: ArraySlice<UInt8>) -> Bool {
    ["restore", "undo", "redo"].contains { operation.elementsEqual($0.utf8) }
  }

  /// The operation of a line of the journal. Nil for a line of another folder: its word ends with a fork, or with another.
  private func operation(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
    guard words.count > 3 else { return nil }
    let word = words[2].split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
    let fork = repository.store.refs.fork.map { Array($0.description.utf8)[...] }
    return word.dropFirst().first == fork ? word[0] : nil
  }
}
