// Which packs are marked: nobody may rely on them.

package import MementoModel
package import MementoObjects
package import MementoTime

/// One look at the marks of a remote.
package struct MarksReading: Sendable {
  package struct Mark: Sendable {
    package let name: ObjectName
    /// When it was put, by the clock of the storage.
    package let modified: Timestamp
    package let record: MarkRecord
  }

  package let marks: [Mark]
  /// What time it was by the clock of the storage when this look began.
  package let now: Timestamp
  /// Marks that are damaged. Another mark closes each of them, and marks what it may have marked; or they were asked for.
  package let damaged: [ListedObject]
  /// Those of `damaged` that no other mark closes.
  package let unclosed: [ListedObject]
  /// The packs that are marked, each with the time of its oldest mark.
  package let packs: [ObjectID: Timestamp]

  /// Throws when a mark is damaged: nobody knows which packs it names. `known`: an earlier look. What it has read is not
  /// read again, since marks never change. `toleratesDamage`: reads what can be read, for a repair.
  package init(
    _ storage: any ObjectStorage, known: MarksReading? = nil, toleratesDamage: Bool = false
  ) throws(RemoteError) {
    let listing = try ObjectListing(storage, MarkRecord.prefix)
    now = listing.now
    var marks: [Mark] = []
    var packs: [ObjectID: Timestamp] = [:]
    var damaged: [(object: ListedObject, error: RemoteError)] = []
    let before = Dictionary((known?.marks ?? []).map { ($0.name, $0.record) }) { first, _ in first }
    for object in listing.objects {
      let found: RecordFound<MarkRecord>
      if let record = before[object.name] {
        found = .record(record)
      } else {
        found = try RecordFound.read { () throws(RemoteError) in
          try storage.record(object.name, listed: object.size).map { (bytes) throws(RemoteError) in
            try MarkRecord(bytes, of: object.name)
          }
        }
      }
      let record: MarkRecord
      switch found {
      case .record(let read): record = read
      // A mark that is gone was closed long ago: its packs are gone, and no index names them.
      case .gone: continue
      case .damaged(let error):
        damaged.append((object, error))
        continue
      }
      marks.append(Mark(name: object.name, modified: object.modified, record: record))
      for pack in record.packs { packs[pack] = min(packs[pack] ?? object.modified, object.modified) }
    }
    let closed = Set(marks.flatMap(\.record.closes))
    let unclosed = damaged.filter { !closed.contains($0.object.name) }
    if let first = unclosed.first, !toleratesDamage { throw first.error }
    self.damaged = damaged.map(\.object)
    self.unclosed = unclosed.map(\.object)
    self.marks = marks
    self.packs = packs
  }

  package func isMarked(_ pack: ObjectID) -> Bool { packs[pack] != nil }
}
