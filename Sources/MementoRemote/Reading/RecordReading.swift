// Single records, for who checks them or replaces indexes.

package import MementoObjects

package enum RecordReading {
  /// The folders of records.
  package static let prefixes = [RefsRecord.prefix, IndexRecord.prefix, MarkRecord.prefix]

  /// An index that was listed. Throws `.unsettled` when it is gone: somebody else has replaced it.
  package static func index(_ name: ObjectName, in storage: any ObjectStorage) throws(RemoteError) -> IndexRecord {
    guard let bytes = try storage.record(name) else { throw .unsettled }
    return try IndexRecord(bytes, of: name)
  }

  /// Reads a record that was listed, whatever it is, and decodes it. False when it is gone. `known`: what an index of this name
  /// has said before; nil where that is not known.
  package static func check(
    _ object: ListedObject, in storage: any ObjectStorage, known: IndexOutline?
  ) throws(RemoteError) -> Bool {
    guard let bytes = try storage.record(object.name, listed: object.size) else { return false }
    if object.name.text.hasPrefix(RefsRecord.prefix) {
      _ = try RefsRecord(bytes, of: object.name)
    } else if object.name.text.hasPrefix(IndexRecord.prefix) {
      let found = IndexOutline(try IndexRecord(bytes, of: object.name))
      guard known == nil || known == found else {
        throw .damaged(object.name, reason: "it is another index than the one that was put")
      }
    } else if object.name.text.hasPrefix(MarkRecord.prefix) {
      _ = try MarkRecord(bytes, of: object.name)
    }
    return true
  }
}
