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
  /// The packs that are marked, each with the time of its oldest mark.
  package let packs: [ObjectID: Timestamp]

  /// `known`: an earlier look. What it has read is not read again, since marks never change.
  package init(_ storage: any ObjectStorage, known: MarksReading? = nil) throws(RemoteError) {
    let listing = try ObjectListing(storage, MarkRecord.prefix)
    now = listing.now
    var marks: [Mark] = []
    var packs: [ObjectID: Timestamp] = [:]
    let before = Dictionary((known?.marks ?? []).map { ($0.name, $0.record) }) { first, _ in first }
    for object in listing.objects {
      var record = before[object.name]
      if record == nil, let bytes = try storage.record(object.name, listed: object.size) {
        record = try MarkRecord(bytes, of: object.name)
      }
      // A mark that is gone was closed long ago: its packs are gone, and no index names them.
      guard let record else { continue }
      marks.append(Mark(name: object.name, modified: object.modified, record: record))
      for pack in record.packs { packs[pack] = min(packs[pack] ?? object.modified, object.modified) }
    }
    self.marks = marks
    self.packs = packs
  }

  package func isMarked(_ pack: ObjectID) -> Bool { packs[pack] != nil }
}
