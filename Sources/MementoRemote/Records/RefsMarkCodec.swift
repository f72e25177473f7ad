// What is remembered of a remote, as the bytes of a local file.

internal import MementoModel
internal import MementoObjects

extension RefsMark {
  /// Throws `.tooMuch` when the table is beyond the limits of the format.
  package func encoded() throws(RemoteError) -> [UInt8] {
    var output = ByteWriter()
    func put(_ dots: [Dot]) {
      output.varint(UInt64(dots.count))
      for dot in dots {
        TableCodec.put(writer: dot.writer, &output)
        output.varint(dot.number)
      }
    }
    output.text(repository.utf8)
    output.u8(isSealed ? 1 : 0)
    TableCodec.put(writer: writer, &output)
    try TableCodec.encode(table, to: &output)
    put(heads)
    output.varint(UInt64(bases.count))
    for (name, base) in bases.sorted(by: { $0.key < $1.key }) {
      output.text(name.bytes)
      output.id(base.local)
      output.u8(base.isPending ? 1 : 0)
      put(base.upon)
      put(base.seen)
    }
    output.varint(UInt64(indexes.count))
    for index in indexes.sorted() { output.text(index.text.utf8) }
    return Envelope.seal("remote-mark", 1, output.bytes)
  }

  /// Decodes the file.
  package init(_ bytes: [UInt8]) throws(RemoteError) {
    var reader = try Envelope.open(bytes, "remote-mark", 1, nil)
    self = try Envelope.checking(nil) { () throws(FormatError) in
      func dots() throws(FormatError) -> [Dot] {
        var dots: [Dot] = []
        for _ in 0..<(try reader.count(atMost: reader.remaining / 17)) {
          dots.append(Dot(writer: try TableCodec.writerID(&reader), number: try reader.varint()))
        }
        return dots
      }
      func flag() throws(FormatError) -> Bool {
        let byte = try reader.u8()
        guard byte < 2 else { throw FormatError("a flag is neither 0 nor 1") }
        return byte == 1
      }
      let repository = try reader.text(atMost: 200)
      let isSealed = try flag()
      var mark = RefsMark(repository: repository, isSealed: isSealed, writer: try TableCodec.writerID(&reader))
      mark.table = try TableCodec.decode(&reader)
      mark.heads = try dots()
      for _ in 0..<(try reader.count(atMost: reader.remaining)) {
        guard let name = RefName(bytes: try reader.bytes(atMost: RefName.longest)) else {
          throw FormatError("a name is not valid")
        }
        let local = try reader.id()
        mark.bases[name] = NameBase(local: local, isPending: try flag(), upon: try dots(), seen: try dots())
      }
      for _ in 0..<(try reader.count(atMost: reader.remaining)) {
        guard let name = ObjectName(try reader.text(atMost: 200)) else { throw FormatError("a name is not valid") }
        mark.indexes.insert(name)
      }
      try reader.finish()
      return mark
    }
  }
}
