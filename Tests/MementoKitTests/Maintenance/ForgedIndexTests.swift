// index/ is derived data: it may be damaged, stale or forged. Nothing may rely on what only the index says.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct ForgedIndexTests {
  let shop: RepositoryFixture
  private let index: FolderTools
  /// The content of one chunk.
  private static let content = Content.random(10_000, seed: 7)

  init() throws {
    shop = try RepositoryFixture(parity: false)
    index = shop.storeFolder.folder("index")
    try shop.folder.write("a".bytes, "a".bytes)
    try shop.save("one")
  }

  /// Forges a row in the only table. It claims that the first block of a pack begins with these bytes.
  private func forge(_ id: ObjectID, length: Int) throws {
    let name = try #require(try index.names().first)
    let bytes = try index.read(name)
    func number(_ place: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
    }
    let (packs, blocks, entries, bits) = (number(16), number(20), number(24), number(28))
    try #require(bits == 0)
    let fanout = 32 + packs * 40 + blocks * 24
    var header = ByteWriter()
    header.append(bytes[..<24])
    header.u32(UInt32(entries + 1))
    header.append(bytes[28..<fanout])
    header.u32(UInt32(entries + 1))
    header.u32(crc32(header.bytes))
    var row = ByteWriter()
    row.id(id)
    row.u32(0)
    row.u32(0)
    row.u32(UInt32(length))
    let rows = (0..<entries).map { Array(bytes[(fanout + 8 + $0 * 44)...].prefix(44)) } + [row.bytes]
    let sorted = rows.sorted { $0.prefix(32).lexicographicallyPrecedes($1.prefix(32)) }
    try index.write(name, header.bytes + sorted.joined())
  }

  /// A row is only accepted if its block is large enough.
  private func forgeContent() throws {
    try forge(ObjectID(hashing: ForgedIndexTests.content), length: 1)
  }

  @Test func aSaveReliesOnNoRowThatThePackDoesNotConfirm() throws {
    try forgeContent()
    try shop.folder.write("b".bytes, ForgedIndexTests.content)
    let before = try shop.state
    _ = try shop.reopened().save(SaveOptions(name: "two"))
    try shop.folder.empty()
    _ = try shop.reopened().restore("two")
    #expect(try shop.state.differences(from: before) == [])
    // The save has corrected the index.
    let damage = try shop.reopened().verify(readData: true).damage
    #expect(damage == [], "\(damage)")
  }

  @Test(arguments: [false, true])
  func verifyTellsAndRepairMends(_ readData: Bool) throws {
    try forgeContent()
    let damage = try shop.reopened().verify(readData: readData).damage
    #expect(damage.map(\.isDerived) == [true])
    #expect(damage.map(\.states) == [[]])
    let packs = try shop.storeFolder.folder("packs").names()
    let repair = try shop.reopened().repair()
    #expect(repair.damageBefore == 1 && repair.report.damage == [] && repair.packsSetAside == [])
    #expect(try shop.storeFolder.folder("packs").names() == packs)
    #expect(try shop.reopened().verify(readData: readData).damage == [])
  }

  /// The state needs a blob that no pack has.
  @Test(arguments: [false, true])
  func aRowIsNoBlob(_ readData: Bool) throws {
    let lost = "x".bytes
    let file = TreeEntry.file("lost", lost)
    try shop.plant(tree: try shop.plant(meta: [RepositoryFixture.tree([file.encoded])])[0], as: "hurt")
    try shop.repository.store.index.rebuild()
    try forge(ObjectID(hashing: lost), length: 1)
    let report = try shop.reopened().verify(readData: readData)
    #expect(report.damage.contains { $0.states == ["hurt"] && $0.path == "lost" }, "\(report.damage)")
    try forge(ObjectID(hashing: lost), length: 1)
    #expect(code { try shop.reopened().collectGarbage() } == .damaged)
  }

  /// Rows are missing, or lead to other places.
  @Test func eachFlippedByteIsToldOrDoesNotMatter() throws {
    try shop.folder.write("b".bytes, "b".bytes)
    try shop.save("two")
    try shop.repository.store.index.rebuild()
    let name = try #require(try index.names().first)
    let bytes = try index.read(name)
    let rows = bytes.count - 44 * 4
    for place in stride(from: rows, to: bytes.count, by: 3) {
      try index.write(name, Content.flipping(bytes, bit: place * 8 + place % 8))
      #expect(try shop.reopened().verify().damage.contains(where: \.isDerived), "byte \(place) of \(bytes.count)")
    }
    #expect(try shop.reopened().repair().report.damage == [])
  }
}
