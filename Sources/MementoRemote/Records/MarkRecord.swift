// What a collection says of packs: `marks/NAME`.

package import MementoModel
package import MementoObjects

/// Marks packs that are going to be removed, and closes marks whose packs are gone. Nobody ever relies on a marked pack,
/// and a mark is never taken back. A mark counts from the time that the storage gives its object.
package struct MarkRecord: Equatable, Sendable {
  /// A reader takes no more.
  package static let mostPacks = 1_000_000
  /// One record marks so many at most.
  static let comfortable = 100_000

  /// Packs that are going to be removed. Sorted.
  package let packs: [ObjectID]
  /// Marks of which all packs are gone, and that no index names any more. Sorted.
  package let closes: [ObjectName]

  package init(packs: [ObjectID], closes: [ObjectName] = []) {
    self.packs = packs.sorted()
    self.closes = closes.sorted()
  }

  package static let prefix = "marks/"

  package static func name(using generator: inout some RandomNumberGenerator) -> ObjectName {
    // 16 random bytes, as a writer has.
    guard let name = ObjectName("\(prefix)\(WriterID(using: &generator))") else { preconditionFailure("not a name") }
    return name
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: packs.count * 32)
    writer.varint(UInt64(packs.count))
    for pack in packs { writer.id(pack) }
    writer.varint(UInt64(closes.count))
    for name in closes { writer.text(name.text.utf8) }
    return Envelope.seal("mark", 1, writer.bytes)
  }

  package init(_ bytes: [UInt8], of name: ObjectName) throws(RemoteError) {
    var reader = try Envelope.open(bytes, "mark", 1, name)
    self = try Envelope.checking(name) { () throws(FormatError) in
      var packs: [ObjectID] = []
      for _ in 0..<(try reader.count(atMost: min(MarkRecord.mostPacks, reader.remaining / 32))) {
        packs.append(try reader.id())
      }
      var closes: [ObjectName] = []
      for _ in 0..<(try reader.count(atMost: reader.remaining)) {
        guard let closed = ObjectName(try reader.text(atMost: 200)), closed.text.hasPrefix(MarkRecord.prefix) else {
          throw FormatError("a name of a mark is not valid")
        }
        closes.append(closed)
      }
      try reader.finish()
      return MarkRecord(packs: packs, closes: closes)
    }
  }
}
