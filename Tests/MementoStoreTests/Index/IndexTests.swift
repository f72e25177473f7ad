import MementoStore
import MementoSystem
import TestSupport
import Testing

struct IndexTests {
  static let blobs = (0..<5).map { Content.text(100 + $0, seed: UInt64($0)) }
  let ids = IndexTests.blobs.map { ObjectID(hashing: $0) }

  private func stored() throws -> StoreFixture {
    let fixture = try StoreFixture { $0.compression = .none }
    try fixture.open().put(IndexTests.blobs)
    return fixture
  }

  /// How many blobs are read back with the right content.
  private func readable(_ store: Store) -> Int {
    zip(ids, IndexTests.blobs).filter { (try? store.read($0)) == $1 }.count
  }

  @Test func isBuiltAgainWhenDeleted() throws {
    let fixture = try stored()
    #expect(try fixture.files("index").count == 1)
    try fixture.empty("index")
    #expect(try readable(fixture.open()) == 5)
    try fixture.directory.descriptor.removeDirectory("index".bytes)
    let store = try fixture.open()
    #expect(readable(store) == 5)
    // A save relies on this index, too.
    #expect(try store.put(IndexTests.blobs).isEmpty)
    try store.index.rebuild()
    #expect(try fixture.files("index").count == 1)
    let reopened = try fixture.open()
    #expect(ids.allSatisfy { reopened.index.hasIntactCopy($0) })
  }

  @Test func eachTruncationIsMadeGood() throws {
    let fixture = try stored()
    let name = try fixture.onlyFile("index")
    let bytes = try fixture.directory.read(name)
    for length in 0..<bytes.count {
      try fixture.directory.write(name, Array(bytes.prefix(length)))
      #expect(try readable(fixture.open()) == 5)
    }
    try fixture.directory.write(name, bytes + [0])
    #expect(try readable(fixture.open()) == 5)
  }

  @Test func eachFlippedBitIsMadeGood() throws {
    let fixture = try stored()
    let name = try fixture.onlyFile("index")
    let bytes = try fixture.directory.read(name)
    for place in 0..<bytes.count {
      try fixture.empty("index")
      try fixture.directory.write(name, Content.flipping(bytes, bit: place * 8 + (place * 5) % 8))
      let store = try fixture.open()
      #expect(readable(store) == 5, "byte \(place) of \(bytes.count)")
      // Every blob that a save would not store again can be read.
      let writer = try fixture.open().packWriter()
      for id in ids where writer.contains(id) {
        #expect(outcome { try store.read(id) } == .done, "byte \(place) of \(bytes.count)")
      }
    }
  }

  @Test func whatIsNoFileIsNotRead() throws {
    let fixture = try stored()
    let name = try fixture.onlyFile("index")
    let root = fixture.directory
    try root.rename(name, to: "elsewhere")
    try root.descriptor.makeSymbolicLink(name.bytes, target: "../elsewhere".bytes)
    try root.descriptor.makeNode("index/fifo".bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    try root.descriptor.makeDirectory("index/folder".bytes)
    try root.write("index/noise", Content.random(500, seed: 1))
    try root.write("index/empty", [])
    #expect(try readable(fixture.open()) == 5)
    #expect(root.exists("elsewhere"))
  }

  @Test func aHugeTableIsRefusedBeforeItIsRead() throws {
    let fixture = try stored()
    let packs: UInt32 = 0xffff_ffff
    var header = ByteWriter()
    header.append("memento index 1\n".bytes)
    for number in [packs, 0xffff_ffff, 0, 0] { header.u32(number) }
    let name = try fixture.onlyFile("index")
    try fixture.directory.descriptor.removeFile(name.bytes)
    let file = try fixture.directory.descriptor.open(name.bytes, .create)
    try file.write(header.bytes)
    try file.truncate(to: 32 + UInt64(packs) * 40 + UInt64(packs) * 24 + 4 + 4)
    #expect(try readable(fixture.open()) == 5)
  }

  @Test func aTableOfAnotherStoreDoesNoHarm() throws {
    let fixture = try stored()
    let other = try StoreFixture()
    try other.open().put(["other".bytes])
    let name = try other.onlyFile("index")
    try fixture.empty("index")
    try fixture.directory.write(name, try other.directory.read(name))
    let store = try fixture.open()
    #expect(readable(store) == 5)
    #expect(!store.index.hasIntactCopy(ObjectID(hashing: "other".bytes)))
    #expect(try store.put(["other".bytes]).count == 1)
    #expect(try fixture.open().read(ObjectID(hashing: "other".bytes)) == "other".bytes)
  }

  @Test func packsThatAreGoneAreForgotten() throws {
    let fixture = try stored()
    let pack = try fixture.onlyFile("packs")
    let store = try fixture.open()
    #expect(try store.index.places(of: ids[0]).count == 1)
    try fixture.directory.rename(pack, to: "hidden")
    try store.index.reconcile(again: true)
    #expect(try store.index.places(of: ids[0]).isEmpty)
    #expect(try !fixture.open().index.hasIntactCopy(ids[0]))
    // The pack is found again when it is back.
    try fixture.directory.rename("hidden", to: pack)
    try store.index.reconcile(again: true)
    #expect(try store.index.places(of: ids[0]).count == 1)
  }

  @Test func packsOfOthersAreFound() throws {
    let fixture = try stored()
    let store = try fixture.open()
    let id = try fixture.open().put(["by another".bytes])[0]
    #expect(try store.read(id) == "by another".bytes)
    let second = try fixture.open().put(["later".bytes])[0]
    try store.index.reconcile(again: true)
    #expect(try store.read(second) == "later".bytes)
    #expect(try store.index.presentPacks().count == 3)
  }

  @Test func onlyAWholePackIsReliedOn() throws {
    let fixture = try stored()
    let pack = try fixture.onlyFile("packs")
    let bytes = try fixture.directory.read(pack)
    #expect(try fixture.open().index.hasIntactCopy(ids[0]))
    for wrong in [[], Array(bytes.dropLast()), bytes + [0]] {
      try fixture.directory.write(pack, wrong)
      #expect(try !fixture.open().index.hasIntactCopy(ids[0]))
    }
    try fixture.directory.descriptor.removeFile(pack.bytes)
    #expect(try !fixture.open().index.hasIntactCopy(ids[0]))
    try fixture.directory.descriptor.makeDirectory(pack.bytes)
    #expect(try !fixture.open().index.hasIntactCopy(ids[0]))
  }

  @Test func contentsAreThoseOfThePack() throws {
    let fixture = try stored()
    let store = try fixture.open()
    let pack = try #require(try store.index.presentPacks().first)
    let contents = try store.index.contents(of: pack)
    #expect(contents.contents.blobs.map(\.id) == ids)
    #expect(contents.size == UInt64(try fixture.directory.read(fixture.onlyFile("packs")).count))
    #expect(outcome { try store.index.contents(of: .zero) } == .damaged)
  }
}
