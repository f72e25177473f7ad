// The decoders of the store's formats. What was written is read back, and no other input traps.

import MementoInode
import MementoTime
import TestSupport
import Testing

@testable import MementoModel

/// Makes random values of every type that is stored.
private struct Maker {
  var generator: SplitMix64

  mutating func number(below limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

  mutating func bytes(_ range: ClosedRange<Int>, allowing allowed: (UInt8) -> Bool = { _ in true }) -> [UInt8] {
    let count = range.lowerBound + number(below: range.count)
    return (0..<count).map { _ in
      let byte = UInt8(truncatingIfNeeded: generator.next())
      return allowed(byte) ? byte : 0x61
    }
  }

  mutating func name() -> [UInt8] { bytes(1...12) { $0 != 0 && $0 != 0x2f && $0 != 0x2e } }

  mutating func id() -> ObjectID { ObjectID(hashing: bytes(1...8)) }

  mutating func metadata() -> FileMetadata {
    var attributes: [[UInt8]: [UInt8]] = [:]
    for _ in 0..<max(0, number(below: 6) - 3) { attributes[name()] = bytes(0...40) }
    return FileMetadata(
      permissions: UInt32(number(below: 0o10000)), user: UInt32(truncatingIfNeeded: generator.next()),
      group: UInt32(truncatingIfNeeded: generator.next() >> 20),
      modified: Timestamp(
        seconds: Int64(bitPattern: generator.next()) >> Int64(number(below: 64)),
        nanoseconds: UInt32(number(below: 1_000_000_000))),
      attributes: attributes.map { ExtendedAttribute(name: $0.key, value: $0.value) }
        .sorted { $0.name.lexicographicallyPrecedes($1.name) })
  }

  mutating func content() -> SizedContent {
    let size = generator.next() >> UInt64(1 + number(below: 63))
    return SizedContent(
      size: size, content: size == 0 ? .empty : FileContent(level: UInt8(1 + number(below: 12)), id: id()))
  }

  mutating func entry() -> TreeEntry {
    let content: EntryContent
    switch number(below: 6) {
    case 0: content = .directory(id())
    case 1: content = .symbolicLink(bytes(1...40) { $0 != 0 })
    case 2: content = .fifo
    case 3: content = .characterDevice(major: UInt32(number(below: 1 << 20)), minor: .max)
    case 4: content = .blockDevice(major: 0, minor: UInt32(number(below: 300)))
    default:
      let sized = self.content()
      content = .file(size: sized.size, sized.content)
    }
    return TreeEntry(name: name(), metadata: metadata(), content: content)
  }

  mutating func text() -> String { String(decoding: bytes(0...30), as: UTF8.self) }

  mutating func optional<Value>(_ value: Value) -> Value? { number(below: 2) == 0 ? value : nil }

  mutating func record() -> SnapshotRecord {
    let time = Timestamp(
      seconds: Int64(number(below: 4_000_000_000)), nanoseconds: UInt32(number(below: 1_000_000_000)))
    return SnapshotRecord(
      body: number(below: 2) == 0 ? .tree(id(), metadata()) : .value(content()), files: number(below: 1 << 40),
      bytes: generator.next(), parent: optional(id()), replaces: optional(id()), time: time, user: text(), host: text(),
      name: optional(text()), message: optional(text()),
      changes: ChangeCounts(added: number(below: 9), modified: number(below: 9), removed: number(below: 1 << 40)),
      isComplete: number(below: 2) == 0, links: optional(content()), unrecorded: optional(content()),
      touched: TouchedPaths((0..<number(below: 40)).map { _ in name() }).flatMap { optional($0) })
  }

  mutating func links() -> [[[UInt8]]] {
    (0..<number(below: 5)).map { _ in
      (0..<2 + number(below: 4)).map { _ in
        Array((0..<1 + number(below: 3)).map { _ in name() }.joined(separator: [0x2f]))
      }
    }
  }

  mutating func problems() -> [Problem] {
    (0..<number(below: 5)).map { number in
      Problem(path: BytePath([UInt8(number)] + bytes(0...12)), message: text(), isNote: self.number(below: 2) == 0)
    }
  }
}

struct CodecTests {
  static let seeds = Array(UInt64(1)...8)

  /// Tries every truncation, and one wrong bit in every byte: each must give an error or another value.
  private func torment(_ bytes: [UInt8], seed: UInt64, _ parse: ([UInt8]) throws -> Bool) {
    var generator = SplitMix64(seed: seed)
    for end in bytes.indices { _ = try? parse(Array(bytes[..<end])) }
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1 << UInt8(generator.next() & 7)
      _ = try? parse(damaged)
      damaged[index] = generator.next() & 1 == 0 ? 0xff : 0
      _ = try? parse(damaged)
    }
    _ = try? parse(bytes + [0])
    _ = try? parse(Array(bytes.reversed()))
  }

  @Test(arguments: seeds)
  func entriesComeBack(_ seed: UInt64) throws {
    var maker = Maker(generator: SplitMix64(seed: seed))
    for _ in 0..<40 {
      let entry = maker.entry()
      var reader = ByteReader(entry.encoded)
      #expect(try TreeEntryCodec.decode(&reader) == entry)
      #expect(reader.isAtEnd)
    }
    let entry = maker.entry()
    torment(entry.encoded, seed: seed) { bytes in
      var reader = ByteReader(bytes)
      return try TreeEntryCodec.decode(&reader) == entry
    }
    // Each entry has exactly one encoding: a decoded entry is encoded to the same bytes.
    var damaged = entry.encoded
    damaged[maker.number(below: damaged.count)] ^= 1
    var reader = ByteReader(damaged)
    if let other = try? TreeEntryCodec.decode(&reader) {
      #expect(other.encoded == Array(damaged[..<reader.position]))
    }
  }

  /// A scan passes what an outline accepts, and nothing else.
  @Test(arguments: seeds)
  func aScanPassesWhatIsAnEntry(_ seed: UInt64) throws {
    var maker = Maker(generator: SplitMix64(seed: seed))
    var passed = 0
    for _ in 0..<40 {
      torment(maker.entry().encoded, seed: maker.generator.next()) { bytes in
        var reader = ByteReader(bytes)
        let outline = try? TreeEntryCodec.outline(&reader)
        let (name, end) = bytes.withUnsafeBytes { bytes in
          var scan = EntryScan(bytes, from: 0)
          return (scan.pass(), scan.position)
        }
        #expect(name == outline?.name)
        if name != nil {
          #expect(end == reader.position)
          passed += 1
        }
        return true
      }
    }
    #expect(passed > 100)
  }

  @Test(arguments: seeds)
  func snapshotsComeBack(_ seed: UInt64) throws {
    var maker = Maker(generator: SplitMix64(seed: seed))
    for _ in 0..<20 {
      let record = maker.record()
      #expect(try SnapshotRecord(record.encoded()) == record)
    }
    let record = maker.record()
    torment(record.encoded(), seed: seed) { try SnapshotRecord($0) == record }
  }

  /// Another program may write the lines of a record in another order, and later versions may add some between them.
  @Test(arguments: seeds)
  func linesOfSnapshotsComeInAnyOrder(_ seed: UInt64) throws {
    var maker = Maker(generator: SplitMix64(seed: seed))
    for _ in 0..<20 {
      var record = maker.record()
      // The order of attributes is part of a record.
      if case .tree(let tree, var root) = record.body {
        root.attributes = Array(root.attributes.prefix(1))
        record.body = .tree(tree, root)
      }
      let text = String(decoding: record.encoded(), as: UTF8.self)
      var lines = text.split(separator: "\n").dropFirst() + ["later 1", "names 2", "tre 3"]
      lines.shuffle(using: &maker.generator)
      let shuffled = ([SnapshotRecord.firstLine[...]] + lines).joined(separator: "\n") + "\n"
      #expect(try SnapshotRecord(shuffled.bytes) == record)
      let twice = shuffled + lines.first { $0.hasPrefix("files ") }! + "\n"
      #expect(throws: FormatError.self) { try SnapshotRecord(twice.bytes) }
    }
  }

  @Test(arguments: seeds)
  func linksAndListsComeBack(_ seed: UInt64) throws {
    var maker = Maker(generator: SplitMix64(seed: seed))
    for _ in 0..<20 {
      let links = maker.links()
      #expect(try LinkTable.decode(LinkTable.encode(links)) == links)
      let problems = maker.problems()
      #expect(try UnrecordedList.decode(UnrecordedList.encode(problems)) == problems.sorted { $0.path < $1.path })
    }
    let links = maker.links()
    torment(LinkTable.encode(links), seed: seed) { try LinkTable.decode($0) == links }
    let problems = maker.problems()
    torment(UnrecordedList.encode(problems), seed: seed) { try UnrecordedList.decode($0) == problems }
  }

  @Test func problemsOfTheFolderItselfComeBack() throws {
    for problem in [Problem(path: BytePath(""), message: "x"), Problem(path: BytePath("a"), message: "")] {
      #expect(try UnrecordedList.decode(UnrecordedList.encode([problem])) == [problem])
    }
  }

  @Test(arguments: ["../x", "/x", "x/", "a//b", "", ".", "a/../b", ".memento/refs", "a/.MEMENTO/x", "a\0b"])
  func linksThatLeadElsewhereAreRefused(_ path: String) throws {
    let table = LinkTable.encode([["a".bytes, path.bytes]])
    #expect(throws: FormatError.self) { try LinkTable.decode(table) }
  }
}
