// For each thing that a form of the store demands, bytes that differ from right ones in this alone: they must be refused.

import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct StoreRefusalTests {
  private static func parity(
    _ pieces: [ParityPiece], size: UInt64 = 10_000, room: UInt64? = nil, checksums: Int? = nil
  ) -> (bytes: [UInt8], room: UInt64) {
    let sums = [UInt32](repeating: 7, count: checksums ?? Int(ParityFormat.sectors(size)))
    let table = ParityTable(size: size, pieces: pieces, checksums: sums).encoded()
    return (table, room ?? pieces.reduce(0) { $0 + $1.size })
  }

  private static func piece(
    _ kind: ParityPiece.Kind = .copy, groups: Int = 0, _ begin: UInt64 = 0, _ length: UInt64 = 5000
  ) -> ParityPiece {
    ParityPiece(kind: kind, groups: groups, begin: begin, length: length, checksum: 1)
  }

  @Test func tablesOfParity() throws {
    typealias Case = StoreRefusalTests
    for right in [
      Case.parity([Case.piece()]), Case.parity([Case.piece(.parity, groups: 2, 4096, 5904)]), Case.parity([]),
    ] {
      #expect(try ParityTable(right.bytes, room: right.room).size == 10_000)
    }
    for (number, wrong) in [
      Case.parity([Case.piece(.parity, groups: 0)], room: 0), Case.parity([Case.piece(.parity, groups: 16_385)]),
      Case.parity([Case.piece(.parity, groups: 2, 100, 4096)]), Case.parity([Case.piece(0, 10_001)]),
      Case.parity([Case.piece(.copy, 9999, 2)]), Case.parity([Case.piece(.copy, .max, 2)]),
      Case.parity([Case.piece(.copy, 5, 0)]), Case.parity([Case.piece()], room: 4999),
      Case.parity([Case.piece()], room: 5001), Case.parity([Case.piece(), Case.piece()], room: 5000),
      Case.parity([], checksums: 2), Case.parity([], checksums: 4),
    ].enumerated() {
      #expect(throws: FormatError.self, "\(number)") { try ParityTable(wrong.bytes, room: wrong.room) }
    }
  }

  private static func piece(_ begin: UInt64, _ length: UInt64) -> ParityPiece { piece(.copy, begin, length) }

  /// What is lost of a list of the trash is named, also when its bytes are what its name says.
  @Test func aListOfTheTrashHasAsManyEntriesAsRefsSay() throws {
    let fixture = try StoreFixture()
    let folder = try fixture.folder()
    let files = TrashFiles(folder)
    let time = Timestamp(seconds: 1, nanoseconds: 0)
    let entries = (0..<200).map { number in
      TrashEntry(
        time: time, lived: 5, reason: .deleted, snapshot: ObjectID(hashing: "\(number)".bytes), name: "n\(number)")
    }
    let trash = try files.replace(Trash(), with: entries)
    #expect(try files.entries(of: trash).count == 200 && trash.lists.count == 1)
    for count in [199, 201] {
      let wrong = trash.with(lists: [TrashList(file: trash.lists[0].file, count: count)], recent: [])
      #expect(throws: StoreError.self) { try files.entries(of: wrong) }
    }
  }

  @Test func linesOfTheTrash() throws {
    let snapshot = ObjectID(hashing: "x".bytes)
    let entry = TrashEntry(
      time: Timestamp(seconds: 1, nanoseconds: 0), lived: 5, reason: .deleted, snapshot: snapshot, name: "n")
    var bytes: [UInt8] = []
    entry.appendLine(to: &bytes)
    #expect(
      Trash.entries(bytes) == [entry] && Trash.entries(bytes + bytes) == [entry, entry] && Trash.entries([]) == [])
    let right = String(decoding: bytes, as: UTF8.self)
    #expect(right.contains(" 5 deleted "))
    for (old, new) in [
      ("trash ", "trasx "), ("trash ", "trash  "), (" 5 ", " +5 "), (" 5 ", "  "), (" 5 ", " 5x "),
      (" 5 ", " 000000000000000000005 "),
      (" 5 ", " 18446744073709551616 "), ("deleted", "deletex"), (" n\n", " \n"), (" n\n", " n n\n"),
      (" n\n", " %zz\n"),
      (" n\n", " n"), (" n\n", " n\n\n"), (" n\n", " n\nx"),
    ] {
      #expect(Trash.entries(right.replacing(old, with: new).bytes) == nil, "\(new)")
    }
  }

  /// Neither of `refs` and their copy is believed when both are damaged.
  @Test func aDamagedCopyOfDamagedRefs() throws {
    let fixture = try StoreFixture()
    let folder = try fixture.folder()
    let file = RefsFile(folder)
    _ = try file.update(waiting: 10) { $0["one"] = ObjectID(hashing: "1".bytes) }
    let bytes = try fixture.directory.read("refs")
    let copy = try fixture.directory.read("backup/refs")
    #expect(bytes == copy)
    let place = bytes.count - 3
    try fixture.directory.write("refs", Content.flipping(bytes, bit: place * 8))
    #expect(try RefsFile(folder).read()["one"] != nil)
    try fixture.directory.write("backup/refs", Content.flipping(copy, bit: (place - 1) * 8))
    #expect(throws: StoreError.self) { try RefsFile(folder).read() }
  }

  /// A table of the index that is cut short while it is open: the packs are asked.
  @Test func aTableThatIsCutShortWhileItIsOpen() throws {
    let fixture = try StoreFixture { $0.compression = .none }
    let blobs = (0..<400).map { "blob \($0)".bytes }
    try fixture.open().put(blobs)
    let name = try fixture.onlyFile("index")
    let bytes = try fixture.directory.read(name)
    for length in [bytes.count - 100, bytes.count / 2, 200, 0] {
      try fixture.directory.write(name, bytes)
      let store = try fixture.open()
      #expect(try store.read(ObjectID(hashing: blobs[0])) == blobs[0])
      try Descriptor.open(fixture.directory.path.bytes + "/".bytes + name.bytes, .readWrite).truncate(
        to: UInt64(length))
      for blob in blobs { #expect(try store.read(ObjectID(hashing: blob)) == blob) }
    }
  }
}
