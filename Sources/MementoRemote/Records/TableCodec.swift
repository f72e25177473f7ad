// A table of names as bytes: the writers, the texts that occur often, and then the values.

internal import MementoModel
internal import MementoTime

/// The form is one for each table: equal tables have equal bytes. See docs/format.md, "Refs records".
enum TableCodec {
  /// The limits of a table. A reader checks them before it allocates anything.
  static let mostWriters = 16_384
  static let mostValues = 100_000
  static let longestHost = 255

  static func encode(_ table: NameTable, to writer: inout ByteWriter) throws(RemoteError) {
    let values = table.names.values.values.joined()
    let positions = table.positions.values.values.joined()
    guard values.count + positions.count <= mostValues else {
      throw .tooMuch("a remote can hold \(mostValues) names at most")
    }
    // Writers of values and positions are in the version vector, since a table has seen what it holds.
    let writers = table.version.dots
    guard writers.count <= mostWriters else { throw .tooMuch("a remote can have \(mostWriters) writers at most") }
    let writerIndex = Dictionary(uniqueKeysWithValues: writers.enumerated().map { ($1.writer, UInt64($0)) })
    let texts = Set(
      (Array(values) + Array(positions)).flatMap { [$0.host, $0.note.host, $0.note.user] }.map { Array($0.utf8) }
    )
    .sorted { $0.lexicographicallyPrecedes($1) }
    let textIndex = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, UInt64($0)) })

    writer.varint(UInt64(writers.count))
    for dot in writers {
      put(writer: dot.writer, &writer)
      writer.varint(dot.number)
    }
    writer.varint(UInt64(texts.count))
    for text in texts { writer.text(text) }

    func add(_ value: NameValue, _ writer: inout ByteWriter) {
      writer.varint(writerIndex[value.dot.writer] ?? 0)
      writer.varint(value.dot.number)
      writer.id(value.snapshot)
      writer.varint(textIndex[Array(value.host.utf8)] ?? 0)
      put(time: value.moved, &writer)
      let note = value.note
      let flags: [Bool] = [note.isValue, note.isComplete, note.message != nil, note.messageIsCut, value.steps != nil]
      writer.u8(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
      put(time: note.time, &writer)
      writer.varint(textIndex[Array(note.user.utf8)] ?? 0)
      writer.varint(textIndex[Array(note.host.utf8)] ?? 0)
      for number in [note.files, note.bytes, note.added, note.modified, note.removed] { writer.varint(number) }
      if let message = note.message { writer.text(message.utf8) }
      if let steps = value.steps { writer.id(steps) }
    }
    writer.varint(UInt64(table.names.values.count))
    for (name, values) in table.names.values.sorted(by: { $0.key < $1.key }) {
      writer.text(name.bytes)
      writer.varint(UInt64(values.count))
      for value in values { add(value, &writer) }
    }
    writer.varint(UInt64(table.positions.values.count))
    for (key, values) in table.positions.values.sorted(by: { $0.key < $1.key }) {
      put(writer: key, &writer)
      writer.varint(UInt64(values.count))
      for value in values { add(value, &writer) }
    }
  }

  static func writerID(_ reader: inout ByteReader) throws(FormatError) -> WriterID {
    WriterID(high: try reader.u64().byteSwapped, low: try reader.u64().byteSwapped)
  }

  static func put(writer id: WriterID, _ writer: inout ByteWriter) {
    writer.u64(id.high.byteSwapped)
    writer.u64(id.low.byteSwapped)
  }

  static func put(time: Timestamp, _ writer: inout ByteWriter) {
    writer.signedVarint(time.seconds)
    writer.varint(UInt64(time.nanoseconds))
  }

  static func time(_ reader: inout ByteReader) throws(FormatError) -> Timestamp {
    let seconds = try reader.signedVarint()
    return Timestamp(seconds: seconds, nanoseconds: UInt32(try reader.count(atMost: 999_999_999)))
  }

  static func decode(_ reader: inout ByteReader) throws(FormatError) -> NameTable {
    var writers: [Dot] = []
    for _ in 0..<(try reader.count(atMost: min(mostWriters, reader.remaining / 17))) {
      let dot = Dot(writer: try writerID(&reader), number: try reader.varint())
      if let last = writers.last, last.writer >= dot.writer { throw FormatError("its writers are not in order") }
      guard dot.number > 0 else { throw FormatError("a writer has no record") }
      writers.append(dot)
    }
    let version = VersionVector(writers)
    var texts: [String] = []
    for _ in 0..<(try reader.count(atMost: min(3 * mostValues, reader.remaining))) {
      texts.append(try reader.text(atMost: longestHost))
    }
    var budget = mostValues
    func value(_ reader: inout ByteReader) throws(FormatError) -> NameValue {
      func text() throws(FormatError) -> String {
        let index = try reader.count(atMost: Int.max)
        guard index < texts.count else { throw FormatError("a text is not in its table") }
        return texts[index]
      }
      let index = try reader.count(atMost: Int.max)
      guard index < writers.count else { throw FormatError("a value is of an unknown writer") }
      let dot = Dot(writer: writers[index].writer, number: try reader.varint())
      guard dot.number > 0, version.contains(dot) else { throw FormatError("a value is newer than its record") }
      let snapshot = try reader.id()
      let host = try text()
      let moved = try time(&reader)
      let flags = try reader.u8()
      guard flags < 32 else { throw FormatError("a value has unknown flags") }
      var note = SnapshotNote(
        isValue: flags & 1 != 0, isComplete: flags & 2 != 0, time: try time(&reader), user: try text(),
        host: try text(), files: try reader.varint(), bytes: try reader.varint(), added: try reader.varint(),
        modified: try reader.varint(), removed: try reader.varint(),
        message: flags & 4 == 0 ? nil : try reader.text(atMost: SnapshotNote.longestMessage))
      note.messageIsCut = flags & 8 != 0
      let steps = flags & 16 == 0 ? nil : try reader.id()
      return NameValue(dot: dot, snapshot: snapshot, host: host, moved: moved, note: note, steps: steps)
    }
    func map<Key>(_ key: (inout ByteReader) throws(FormatError) -> Key) throws(FormatError) -> DottedMap<Key> {
      var map = DottedMap<Key>()
      var last: Key?
      for _ in 0..<(try reader.count(atMost: min(budget, reader.remaining))) {
        let next = try key(&reader)
        if let last, last >= next { throw FormatError("its names are not in order") }
        last = next
        let count = try reader.count(atMost: budget)
        guard count > 0 else { throw FormatError("a name has no value") }
        budget -= count
        var values: [NameValue] = []
        for _ in 0..<count {
          let value = try value(&reader)
          if let last = values.last, last.dot >= value.dot { throw FormatError("its values are not in order") }
          values.append(value)
        }
        map.fill(next, values)
      }
      return map
    }
    let names = try map { (reader) throws(FormatError) -> RefName in
      guard let name = RefName(bytes: try reader.bytes(atMost: RefName.longest)) else {
        throw FormatError("a name is not valid")
      }
      return name
    }
    let positions = try map { (reader) throws(FormatError) -> WriterID in try writerID(&reader) }
    return NameTable(version: version, names: names, positions: positions)
  }
}
