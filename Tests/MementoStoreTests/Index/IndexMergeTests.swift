import MementoStore
import MementoSystem
import TestSupport
import Testing

struct IndexMergeTests {
  private func blobs(_ save: Int) -> [[UInt8]] {
    (0..<3 + save % 5).map { "save \(save), blob \($0)".bytes }
  }

  private func check(_ fixture: StoreFixture, saves: Int) throws {
    let store = try fixture.open()
    for save in 0..<saves {
      for blob in blobs(save) {
        let id = ObjectID(hashing: blob)
        // The index finds the blob without listing the packs.
        #expect(store.index.hasIntactCopy(id))
        #expect(try store.index.places(of: id).count == 1)
        #expect(try store.read(id) == blob)
      }
    }
  }

  @Test func manySmallPacksLeaveFewTables() throws {
    let fixture = try StoreFixture()
    var most = 0
    for save in 0..<200 {
      try fixture.open().put(blobs(save))
      most = max(most, try fixture.files("index").count)
    }
    #expect(try fixture.files("packs").count == 200)
    #expect(most <= 6)
    try check(fixture, saves: 200)
  }

  @Test func manySavesOfOneProcessLeaveFewTables() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    var most = 0
    for save in 0..<100 {
      try store.put(blobs(save))
      most = max(most, try fixture.files("index").count)
    }
    #expect(most <= 6)
    for save in 0..<100 {
      for blob in blobs(save) { #expect(try store.index.places(of: ObjectID(hashing: blob)).count == 1) }
    }
    try check(fixture, saves: 100)
  }

  @Test func twoAtOnceLoseNothing() throws {
    let fixture = try StoreFixture()
    for save in 0..<10 { try fixture.open().put(blobs(save)) }
    // Both stores have read the same tables, and both merge them.
    let stores = [try fixture.open(), try fixture.open()]
    for (number, store) in stores.enumerated() { try store.put(blobs(10 + number)) }
    let store = try fixture.open()
    for save in 0..<12 {
      for blob in blobs(save) { #expect(try store.read(ObjectID(hashing: blob)) == blob) }
    }
    try store.put(blobs(12))
    for save in 0..<13 {
      for blob in blobs(save) { #expect(try fixture.open().index.hasIntactCopy(ObjectID(hashing: blob))) }
    }
  }

  @Test func packsThatAreGoneLeaveTheTables() throws {
    let fixture = try StoreFixture()
    for save in 0..<5 { try fixture.open().put(blobs(save)) }
    try fixture.empty("packs")
    try fixture.open().put(blobs(9))
    let store = try fixture.open()
    for blob in blobs(0) {
      #expect(!store.index.hasIntactCopy(ObjectID(hashing: blob)))
      #expect(try store.index.places(of: ObjectID(hashing: blob)).isEmpty)
    }
    #expect(try fixture.files("index").count == 1)
  }

  @Test func rebuildingMakesOneTable() throws {
    let fixture = try StoreFixture()
    for save in 0..<5 { try fixture.open().put(blobs(save)) }
    try fixture.directory.write("index/noise", [1])
    let store = try fixture.open()
    try fixture.directory.write("index/more noise", [1])
    try store.index.rebuild()
    #expect(try fixture.files("index").count == 1)
    try check(fixture, saves: 5)
  }

  @Test func aTableTooLargeToHoldIsReadFromDisk() throws {
    // Storing this many blobs would take long, so the table of contents is made by hand.
    let fixture = try StoreFixture()
    let count = 400_000
    var generator = SplitMix64(seed: 1)
    var table = ByteWriter(capacity: 40 + count * 36)
    table.u32(1)
    table.append([0, 0, 0, 0])
    table.u32(UInt32(count))
    table.u32(UInt32(count))
    table.u32(UInt32(count))
    table.u64(16)
    var ids: [ObjectID] = []
    for _ in 0..<count {
      let id = ObjectID(generator.next(), generator.next(), generator.next(), generator.next())
      table.id(id)
      table.u32(1)
      if ids.count < 300 { ids.append(id) }
    }
    let name = ObjectID(hashing: table.bytes)
    var pack = ByteWriter()
    pack.append(PackFormat.header)
    pack.append(Content.zeros(count))
    pack.append(table.bytes)
    pack.u64(16 + UInt64(count))
    pack.u64(UInt64(table.bytes.count))
    pack.id(name)
    pack.append(PackFormat.footerMagic)
    try fixture.directory.write("packs/\(name).pack", pack.bytes)
    try fixture.open().index.rebuild()
    try fixture.open().put(["small".bytes])
    let store = try fixture.open()
    #expect(try fixture.files("index").count == 2)
    for (offset, id) in ids.enumerated() {
      let places = try store.index.places(of: id)
      #expect(places.map(\.offset) == [UInt32(offset)])
      #expect(store.index.hasIntactCopy(id))
    }
    #expect(!store.index.hasIntactCopy(ObjectID(hashing: "none".bytes)))
  }
}
