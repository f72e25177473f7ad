// The record of one change of names: `refs/WRITER/NUMBER`. It holds the whole table as its writer saw it.

internal import MementoModel
package import MementoObjects
package import MementoTime

package struct RefsRecord: Equatable, Sendable {
  package let dot: Dot
  package let host: String
  /// When it was made, by the clock of the storage as its writer saw it.
  package let time: Timestamp
  package let table: NameTable

  package init(dot: Dot, host: String, time: Timestamp, table: NameTable) {
    self.dot = dot
    self.host = SnapshotNote.cut(host, to: TableCodec.longestHost)
    self.time = time
    self.table = table
  }

  package static let prefix = "refs/"

  /// `refs/WRITER/NUMBER`: the number in decimal digits without leading zeros.
  package static func name(_ dot: Dot) -> ObjectName {
    guard let name = ObjectName("\(prefix)\(dot.writer)/\(dot.number)") else { preconditionFailure("not a name") }
    return name
  }

  /// Nil when the name is not that of a refs record.
  package static func dot(_ name: ObjectName) -> Dot? {
    let parts = name.text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "refs", let writer = WriterID(hex: parts[1]), let number = UInt64(parts[2]),
      number > 0, String(number) == parts[2]
    else { return nil }
    return Dot(writer: writer, number: number)
  }

  /// Throws `.tooMuch` when the table is beyond the limits of the format.
  package func encoded() throws(RemoteError) -> [UInt8] {
    var writer = ByteWriter()
    TableCodec.put(writer: dot.writer, &writer)
    writer.varint(dot.number)
    writer.text(host.utf8)
    TableCodec.put(time: time, &writer)
    try TableCodec.encode(table, to: &writer)
    let bytes = Envelope.seal("refs-record", 1, writer.bytes)
    guard bytes.count <= Envelope.largest else { throw .tooMuch("the names take more than \(Envelope.largest) bytes") }
    return bytes
  }

  /// Decodes what was read of the object `name`. Throws `.damaged` also when it is the record of another name.
  package init(_ bytes: [UInt8], of name: ObjectName) throws(RemoteError) {
    var reader = try Envelope.open(bytes, "refs-record", 1, name)
    self = try Envelope.checking(name) { () throws(FormatError) in
      let dot = Dot(writer: try TableCodec.writerID(&reader), number: try reader.varint())
      guard RefsRecord.dot(name) == dot else { throw FormatError("it is the record of another name") }
      let host = try reader.text(atMost: TableCodec.longestHost)
      let time = try TableCodec.time(&reader)
      let table = try TableCodec.decode(&reader)
      try reader.finish()
      guard table.version[dot.writer] == dot.number else { throw FormatError("it has not seen itself") }
      return RefsRecord(dot: dot, host: host, time: time, table: table)
    }
  }
}
