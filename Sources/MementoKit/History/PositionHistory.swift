// Where the folder was at a time. The timeline says when its steps were added; that the position moved along it, by undo
// and redo, and what an undo and a save after it have dropped, only the journal says.

internal import MementoStore
internal import MementoSystem

struct PositionHistory {
  let repository: Repository
  let refs: Refs
  let records: RecordReader

  /// The snapshot at the position then; nil when the history does not go so far back.
  func snapshot(at time: Timestamp) throws(RepositoryError) -> ObjectID? {
    var journal = try translating { () throws(StoreError) in try Journal(repository.store.folder).newestFirst() }
    let limit = Array(time.rfc3339.utf8)
    var isNow = !refs.timeline.steps.contains { $0.time > time }
    var moved: (time: Timestamp, snapshot: ObjectID)?
    // Times in UTC sort as text. A line that is newer tells that there was another position since.
    while moved == nil {
      let line = try translating { () throws(StoreError) in
        try journal.next { line in
          guard let operation = PositionHistory.operation(line) else { return false }
          if !line.prefix(30).lexicographicallyPrecedes(limit), !line.prefix(30).elementsEqual(limit) {
            isNow = isNow && !PositionHistory.isMove(operation)
            return false
          }
          return PositionHistory.isMove(operation) || operation.elementsEqual("save".utf8)
        }
      }
      guard let line else { break }
      guard let id = line.snapshot else { continue }
      // A value is on no timeline. Of a snapshot that is gone nobody can tell; most are folders.
      if line.operation == "save", let record = try records.kept(id), record.tree == nil { continue }
      moved = (line.time, id)
    }
    if isNow { return refs.timeline.current?.snapshot }
    let step = refs.timeline.steps.last { $0.time <= time }
    if let moved, moved.time >= step?.time ?? .distantPast { return moved.snapshot }
    if let step { return step.snapshot }
    return try ancestor(at: time)
  }

  /// Before the timeline: the parents.
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

  /// The third word of a line.
  private static func operation(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
    return words.count > 3 ? words[2] : nil
  }
}
