// For each thing that a form demands, bytes that differ from right ones in this alone: they must be refused.

import TestSupport
import Testing

@testable import MementoModel

struct RefusalTests {
  private static let id = ObjectID(hashing: "x".bytes)

  private static func bytes(_ parts: (inout ByteWriter) -> Void) -> [UInt8] {
    var out = ByteWriter()
    parts(&out)
    return out.bytes
  }

  // MARK: Chunk lists

  /// A list of `level` with pieces of these lengths; an odd word is a hole.
  private static func list(tag: UInt8 = ChunkListFormat.tag, level: UInt8 = 2, _ words: [UInt64], count: Int? = nil)
    -> [UInt8]
  {
    bytes { out in
      out.append([tag, level])
      out.varint(UInt64(count ?? words.count))
      for word in words {
        out.varint(word)
        if word & 1 == 0 { out.id(id) }
      }
    }
  }

  private func pieces(_ bytes: [UInt8]) throws -> Int {
    var pieces = try ChunkListPieces(bytes)
    var count = 0
    while try pieces.next() != nil { count += 1 }
    return count
  }

  @Test func chunkLists() throws {
    typealias Case = RefusalTests
    #expect(try pieces(Case.list([10, 21])) == 2 && pieces(Case.list(level: 12, [10])) == 1)
    for wrong in [
      Case.list(tag: UInt8(ascii: "T"), [10]), Case.list(level: 0, [10]), Case.list(level: 1, [10]),
      Case.list(level: 13, [10]), Case.list([]), Case.list([10]) + [0], Case.list([0]), Case.list([1]),
      Case.list(level: 3, [21]), Case.list([UInt64(BlobLimit.largest + 1) << 1]),
      Case.list([UInt64(Int64.max) << 1 | 1, 21]), Case.list([10], count: 2),
    ] {
      #expect(throws: FormatError.self, "\(wrong.prefix(8))") { try pieces(wrong) }
    }
  }

  /// The sizes of lists in lists, and of the file, must agree, and so must their heights.
  @Test func listsInLists() throws {
    let blobs = LooseBlobs()
    let source: any BlobSource<LooseFailure> = blobs
    func store(_ level: UInt8, _ pieces: [(UInt64, ObjectID)]) -> ObjectID {
      blobs.storeMeta(
        RefusalTests.bytes { out in
          out.append([ChunkListFormat.tag, level])
          out.varint(UInt64(pieces.count))
          for (length, id) in pieces {
            out.varint(length << 1)
            out.id(id)
          }
        })
    }
    func read(_ id: ObjectID, level: UInt8, size: UInt64) throws -> Int {
      var reader = ChunkListReader(FileContent(level: level, id: id), size: size, in: source)
      var count = 0
      while try reader.next() != nil { count += 1 }
      var totals = ChunkListTotals()
      guard try totals.total(of: id, level: level, source).length == size else { throw LooseFailure.cancelled }
      return count
    }
    let low = store(2, [(5, RefusalTests.id), (6, RefusalTests.id)])
    let high = store(3, [(11, low), (11, low)])
    #expect(try read(low, level: 2, size: 11) == 2 && read(high, level: 3, size: 22) == 4)
    for size in [10, 12, 4] as [UInt64] { #expect(throws: LooseFailure.self) { try read(low, level: 2, size: size) } }
    for level in [3, 4] as [UInt8] { #expect(throws: LooseFailure.self) { try read(low, level: level, size: 11) } }
    for length in [10, 12] as [UInt64] {
      let wrong = store(3, [(length, low), (22 - length, low)])
      #expect(throws: LooseFailure.self) { try read(wrong, level: 3, size: 22) }
      var totals = ChunkListTotals()
      #expect(throws: LooseFailure.self) { try totals.total(of: wrong, level: 3, source) }
    }
  }

  // MARK: Links and paths

  @Test func linkTables() throws {
    let right = LinkTable.encode([["a".bytes, "b".bytes]])
    #expect(try LinkTable.decode(right).count == 1)
    #expect(try LinkTable.decode(right, limit: 2).count == 1)
    #expect(throws: FormatError.self) { try LinkTable.decode(right, limit: 1) }
    for wrong in [
      [UInt8(ascii: "L")] + right.dropFirst(), right + [0], LinkTable.encode([["a".bytes]]), Array(right.dropLast()),
    ] {
      #expect(throws: FormatError.self, "\(wrong)") { try LinkTable.decode(wrong) }
    }
  }

  @Test func unrecordedPaths() throws {
    let right = UnrecordedList.encode([Problem(path: BytePath("a"), message: "no")])
    #expect(try UnrecordedList.decode(right).count == 1)
    let text = String(decoding: right, as: UTF8.self)
    for wrong in ["\(text) x\n", text.replacing("problem", with: "other"), text.replacing(" ", with: "")] {
      #expect(throws: FormatError.self, "\(wrong)") { try UnrecordedList.decode(wrong.bytes) }
    }
  }

  // MARK: Snapshots

  private static let record = """
    memento snapshot 1
    tree \(id)
    root 755 1000 1000 1780322400 0
    files 1
    bytes 15
    time 2026-11-21T09:28:48.390739425Z
    user ada
    name first
    changes 1 0 0
    complete yes
    links 5 1 \(id)

    """

  @Test(arguments: [
    ("memento snapshot 1", "memento snapshot 2"), ("memento snapshot 1\n", ""), ("root 755", "root 10000"),
    ("root 755 ", "root "), (" 1780322400 0", " 1780322400 1000000000"), ("files 1", "files -1"), ("files 1\n", ""),
    ("bytes 15\n", ""), ("bytes 15", "bytes -1"), ("changes 1 0 0", "changes 1 0"),
    ("changes 1 0 0", "changes 1 0 0 0"),
    ("user ada", "user ada b"), ("user ada", "user %zz"), ("user ada", "user %ff"), ("name first", "name a\nname b"),
    ("links 5 1", "links 5 13"), ("links 5 1", "links 0 1"), ("links 5 1", "links 5 0"),
    ("links 5 1", "links 9223372036854775808 1"), ("links 5 1", "links 5 1 1"), ("complete yes", "attribute a b c"),
    ("complete yes", "attribute a"), ("tree ", "tree x"), ("time 2026", "time x"),
  ])
  func snapshots(_ right: String, _ wrong: String) throws {
    _ = try SnapshotRecord(RefusalTests.record.bytes)
    #expect(RefusalTests.record.contains(right))
    #expect(throws: FormatError.self) { try SnapshotRecord(RefusalTests.record.replacing(right, with: wrong).bytes) }
  }

  @Test func snapshotsAreTextThatEnds() {
    #expect(throws: FormatError.self) { try SnapshotRecord(RefusalTests.record.bytes.dropLast()) }
    #expect(throws: FormatError.self) { try SnapshotRecord(RefusalTests.record.bytes + [0xff, 0x0a]) }
  }

  // MARK: Trees

  private static func entry(
    kind: UInt8 = 1, name: [UInt8] = "a".bytes, mode: UInt64 = 0o644, user: UInt64 = 1, nanoseconds: UInt64 = 0,
    _ content: (inout ByteWriter) -> Void = {
      $0.varint(5); $0.u8(1); $0.id(id)
    }
  ) -> [UInt8] {
    bytes { out in
      out.u8(kind)
      out.varint(UInt64(name.count))
      out.append(name)
      out.varint(mode)
      out.varint(user)
      out.varint(1)
      out.varint(2)
      out.varint(nanoseconds)
      content(&out)
    }
  }

  private func decode(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    _ = try TreeEntryCodec.decode(&reader)
    if !reader.isAtEnd { throw FormatError("more") }
  }

  private static func attributes(_ names: [String]) -> (inout ByteWriter) -> Void {
    { out in
      out.varint(UInt64(names.count))
      for name in names {
        out.varint(UInt64(name.utf8.count))
        out.append(name.bytes)
        out.varint(1)
        out.append([7])
      }
    }
  }

  @Test func entries() throws {
    typealias Case = RefusalTests
    try decode(Case.entry())
    try decode(Case.entry(kind: 4) { _ in })
    try decode(Case.entry(kind: 0x84, Case.attributes(["a", "b"])))
    try decode(
      Case.entry(kind: 3) {
        $0.varint(1); $0.append([0x61])
      })
    let wrong: [[UInt8]] = [
      Case.entry(kind: 0), Case.entry(kind: 7) { _ in }, Case.entry(mode: 0o10000), Case.entry(user: 1 << 32),
      Case.entry(nanoseconds: 1_000_000_000),
      Case.entry {
        $0.varint(UInt64(Int64.max) + 1); $0.u8(1); $0.id(Case.id)
      },
      Case.entry {
        $0.varint(5); $0.u8(13); $0.id(Case.id)
      },
      Case.entry {
        $0.varint(5); $0.u8(0)
      },
      Case.entry {
        $0.varint(0); $0.u8(1); $0.id(Case.id)
      }, Case.entry(kind: 3) { $0.varint(0) },
      Case.entry(kind: 3) {
        $0.varint(2); $0.append([0x61, 0])
      }, Case.entry(kind: 0x84, Case.attributes([])),
      Case.entry(kind: 0x84, Case.attributes([""])), Case.entry(kind: 0x84, Case.attributes(["a\0"])),
      Case.entry(kind: 0x84, Case.attributes(["b", "a"])), Case.entry(kind: 0x84, Case.attributes(["a", "a"])),
    ]
    for (number, wrong) in wrong.enumerated() { #expect(throws: FormatError.self, "\(number)") { try decode(wrong) } }
  }

  @Test func trees() throws {
    let blobs = LooseBlobs()
    let source: any BlobSource<LooseFailure> = blobs
    func tree(_ bytes: [UInt8]) throws -> Int { try TreeReader.entries(of: blobs.storeMeta(bytes), in: source).count }
    let entry = RefusalTests.entry()
    let leaf = [UInt8(ascii: "T"), 0, 1] + entry
    let low = blobs.storeMeta(leaf)
    let empty = blobs.storeMeta([UInt8(ascii: "T"), 0, 0])
    func inner(_ level: UInt8, _ pieces: [ObjectID]) -> [UInt8] {
      RefusalTests.bytes { out in
        out.append([UInt8(ascii: "T"), level, UInt8(pieces.count)])
        for piece in pieces {
          out.append([1, 0x61])
          out.id(piece)
        }
      }
    }
    #expect(try tree(leaf) == 1 && tree([UInt8(ascii: "T"), 0, 0]) == 0 && tree(inner(1, [low])) == 1)
    for wrong in [
      [UInt8(ascii: "L")] + leaf.dropFirst(), leaf + [0], [UInt8(ascii: "T"), 0, 0, 0], [UInt8(ascii: "T"), 9, 0],
      inner(2, [low]), inner(1, [empty]), inner(1, []), inner(1, [low]) + [0], inner(9, [low]), inner(1, [low, low]),
      [UInt8(ascii: "T"), 0, 2] + entry + entry,
    ] {
      #expect(throws: LooseFailure.self, "\(wrong.prefix(8))") { try tree(wrong) }
    }
  }
}
