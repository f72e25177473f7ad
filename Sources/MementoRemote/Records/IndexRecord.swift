// Where the blobs of packs are: `index/NAME`. A push adds one for its new packs; a collection replaces some by one.

package import MementoModel
package import MementoObjects

/// The packs of a push with their tables of contents. What a table says is for those to read who know packs.
package struct IndexRecord: Equatable, Sendable {
  package struct Pack: Equatable, Sendable {
    /// The name of its object: `PackObject`.
    package let name: ObjectID
    /// The pack's own id: the SHA-256 of its table of contents.
    package let id: ObjectID
    /// The size of the pack in bytes.
    package let size: UInt64
    /// The salt of its object where it is sealed, so that a reader need not ask for it: 32 bytes, or none.
    package let salt: [UInt8]
    /// Its table of contents, as it stands in the pack.
    package let contents: [UInt8]

    package init(name: ObjectID, id: ObjectID, size: UInt64, salt: [UInt8] = [], contents: [UInt8]) {
      self.name = name
      self.id = id
      self.size = size
      self.salt = salt
      self.contents = contents
    }
  }

  static let mostPacks = 1_000_000
  private static let saltSize = 32
  /// What a pack takes at most beside its table, in bytes: two ids, two lengths, a size and a salt.
  static let mostBesideTable = 112
  /// An index that can be divided has about so many bytes of tables at most, so that nobody need hold more at once.
  package static let comfortable = 32 << 20

  package let packs: [Pack]
  /// Indexes that this one replaces: they are not used any more. Sorted.
  package let replaces: [ObjectName]

  package init(packs: [Pack], replaces: [ObjectName] = []) {
    self.packs = packs.sorted { $0.name < $1.name }
    self.replaces = replaces.sorted()
  }

  package static let prefix = "index/"

  package static func name(using generator: inout some RandomNumberGenerator) -> ObjectName {
    guard let name = ObjectName("\(prefix)\(WriterID(using: &generator))") else { preconditionFailure("not a name") }
    return name
  }

  package func encoded() throws(RemoteError) -> [UInt8] {
    var writer = ByteWriter(capacity: packs.reduce(64) { $0 + $1.contents.count + IndexRecord.mostBesideTable })
    writer.varint(UInt64(replaces.count))
    for name in replaces { writer.text(name.text.utf8) }
    writer.varint(UInt64(packs.count))
    for pack in packs {
      writer.id(pack.name)
      writer.id(pack.id)
      writer.varint(pack.size)
      writer.text(pack.salt)
      writer.text(pack.contents)
    }
    let bytes = Envelope.seal("index-record", 1, writer.bytes)
    guard bytes.count <= Envelope.largest else { throw .tooMuch("an index has more than \(Envelope.largest) bytes") }
    return bytes
  }

  package init(_ bytes: [UInt8], of name: ObjectName) throws(RemoteError) {
    var reader = try Envelope.open(bytes, "index-record", 1, name)
    self = try Envelope.checking(name) { () throws(FormatError) in
      var replaces: [ObjectName] = []
      for _ in 0..<(try reader.count(atMost: reader.remaining)) {
        guard let old = ObjectName(try reader.text(atMost: 200)), old.text.hasPrefix(IndexRecord.prefix) else {
          throw FormatError("a name of an index is not valid")
        }
        replaces.append(old)
      }
      var packs: [Pack] = []
      for _ in 0..<(try reader.count(atMost: min(IndexRecord.mostPacks, reader.remaining / 67))) {
        let pack = Pack(
          name: try reader.id(), id: try reader.id(), size: try reader.varint(),
          salt: try reader.bytes(atMost: IndexRecord.saltSize), contents: try reader.bytes(atMost: reader.remaining))
        guard pack.salt.isEmpty || pack.salt.count == IndexRecord.saltSize else {
          throw FormatError("a salt has a wrong length")
        }
        packs.append(pack)
      }
      try reader.finish()
      return IndexRecord(packs: packs, replaces: replaces)
    }
  }
}
