// Reads snapshot records from a store.

internal import MementoStore

extension SnapshotRecord {
  /// Reads the record of a snapshot and checks it.
  static func read(_ id: ObjectID, from store: Store) throws(StoreError) -> SnapshotRecord {
    try decode(try store.read(id), id)
  }

  /// Decodes the record of a snapshot and checks it.
  static func decode(_ bytes: [UInt8], _ id: ObjectID) throws(StoreError) -> SnapshotRecord {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    if first.starts(with: SnapshotRecord.start.utf8), !first.elementsEqual(SnapshotRecord.firstLine.utf8) {
      throw .newerFormat(found: String(decoding: first.prefix(40), as: UTF8.self))
    }
    do throws(FormatError) {
      return try SnapshotRecord(bytes)
    } catch {
      throw .damaged(file: "snapshot \(id.short)", reason: error.reason)
    }
  }
}
