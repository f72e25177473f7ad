import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

struct BlobTransferTests {
  private static let blobs: [[UInt8]] =
    (0..<40).map { Content.text(2000 + 100 * $0, seed: UInt64($0)) } + [[], Content.random(900_000, seed: 1)]

  private func set(_ ids: [ObjectID]) -> BlobSet {
    var set = BlobSet()
    for id in ids { _ = set.insert(id) }
    return set
  }

  private func transfer(_ source: Store, _ target: Store, _ ids: [ObjectID]) throws(StoreError) -> TransferPlan {
    let transfer = BlobTransfer(from: source, to: target, isCancelled: { false }, moved: { _ in })
    let plan = try transfer.plan(set(ids), asking: true)
    try transfer.run(plan)
    return plan
  }

  @Test(arguments: CodecTests.compressions)
  func blobsArrive(_ compression: Compression) throws {
    let from = try StoreFixture { $0.compression = compression }
    let to = try StoreFixture()
    let source = try from.open()
    let ids = try source.put(BlobTransferTests.blobs) + source.put([Content.text(500, seed: 7)], .meta)
    let plan = try transfer(try from.open(), try to.open(), ids)
    #expect(plan.blobCount == ids.count)
    let target = try to.open()
    for (id, blob) in zip(ids, BlobTransferTests.blobs) { #expect(try target.read(id) == blob) }
    #expect(try target.index.places(of: ids[ids.count - 1]).map(\.block.kind) == [.meta])
    #expect(try to.files("tmp").isEmpty)
  }

  /// What is wanted as a whole is not compressed again.
  /// `isFromTable`: whether the source knows its blocks from a table of the index, and not from their pack.
  @Test(arguments: [false, true]) func wholeBlocksAreCopiedAsTheyAre(_ isFromTable: Bool) throws {
    let from = try StoreFixture { $0.compression = Compression("zlib:9")! }
    let to = try StoreFixture()
    let source = try from.open()
    let ids = try source.put(Array(BlobTransferTests.blobs.prefix(40)))
    _ = try transfer(isFromTable ? try from.open() : source, try to.open(), ids)
    let target = try to.open()
    let blocks = try Set(ids.map { try #require(try source.index.place(of: $0)).block.storedLength })
    let copied = try ids.map { try #require(try target.index.place(of: $0)).block }
    #expect(Set(copied.map(\.storedLength)) == blocks)
    #expect(copied.allSatisfy { $0.codec == .zlib })
  }

  @Test func onlyWhatIsWantedAndMissingIsCopied() throws {
    let from = try StoreFixture()
    let to = try StoreFixture()
    let source = try from.open()
    let ids = try source.put(Array(BlobTransferTests.blobs.prefix(40)))
    try to.open().put([BlobTransferTests.blobs[3], BlobTransferTests.blobs[5]])
    let wanted = stride(from: 1, to: 40, by: 2).map { ids[$0] }
    let plan = try transfer(source, try to.open(), wanted)
    #expect(plan.blobCount == wanted.count - 2)
    let target = try to.open()
    for (number, id) in ids.enumerated() {
      #expect(try target.index.contains(id) == !number.isMultiple(of: 2))
      if !number.isMultiple(of: 2) { #expect(try target.read(id) == BlobTransferTests.blobs[number]) }
    }
    #expect(try transfer(source, target, wanted).blobCount == 0)
    #expect(try to.files("packs").count == 2)
  }

  @Test func whatTheSourceLacksIsSaid() throws {
    let (from, to) = (try StoreFixture(), try StoreFixture())
    let source = try from.open()
    #expect(outcome { _ = try transfer(source, try! to.open(), [ObjectID(hashing: "other".bytes)]) } == .missing)
    #expect(try to.files("packs").isEmpty)
  }

  /// A block that is damaged is not copied, whether all of it is wanted or a part.
  @Test(arguments: [40, 39])
  func damageIsNotCopied(_ count: Int) throws {
    let (from, to) = (try StoreFixture(), try StoreFixture())
    let ids = try from.open().put(Array(BlobTransferTests.blobs.prefix(40)))
    let name = try from.onlyFile("packs")
    let bytes = try from.directory.read(name)
    for bit in stride(from: 8 * 40, to: 8 * 20_000, by: 1999) {
      try from.directory.write(name, Content.flipping(bytes, bit: bit))
      let source = try from.open()
      let target = try to.open()
      #expect(outcome { _ = try transfer(source, target, Array(ids.prefix(count))) } == .damaged)
      #expect(try to.files("packs").isEmpty)
      #expect(try to.files("tmp").isEmpty)
    }
  }

  @Test func aCancelledTransferLeavesNothingUnfinished() throws {
    let (from, to) = (try StoreFixture(), try StoreFixture())
    let source = try from.open()
    let ids = try source.put(BlobTransferTests.blobs)
    let transfer = BlobTransfer(from: source, to: try to.open(), isCancelled: { true }, moved: { _ in })
    let plan = try transfer.plan(set(ids), asking: true)
    #expect(outcome { try transfer.run(plan) } == .cancelled)
    #expect(try to.files("tmp").isEmpty)
    #expect(try to.files("packs").isEmpty)
  }

  @Test func whatAnotherMachineSaysOfPacksIsTakenOver() throws {
    let (from, to) = (try StoreFixture(), try StoreFixture())
    let source = try from.open()
    let ids = try source.put(BlobTransferTests.blobs)
    let pack = try #require(try source.index.presentPacks().first)
    let contents = try source.index.contents(of: pack)
    let target = try to.open()
    try target.index.takeOver([(pack, contents.size, contents.contents.encoded())])
    #expect(try target.index.knownPlaces(of: ids[3]).count == 1)
    #expect(target.index.listedPacks().map(\.id) == [pack])
    #expect(target.index.listedPacks().map(\.size) == [contents.size])
    var forged = contents.contents.encoded()
    forged[forged.count - 1] ^= 1
    #expect(outcome { try target.index.takeOver([(pack, contents.size, forged)]) } == .damaged)
    #expect(
      outcome { try target.index.takeOver([(ObjectID(hashing: forged), 10, forged)]) } == .damaged)
  }

  /// The table of another pack is whole in itself, and would say where the blobs of that pack lie in this one.
  @Test func theTableOfAnotherPackIsNotTakenOver() throws {
    let (from, to) = (try StoreFixture(), try StoreFixture())
    let source = try from.open()
    var packs: [(id: ObjectID, size: UInt64, table: [UInt8])] = []
    for blob in BlobTransferTests.blobs.prefix(2) {
      let known = try source.index.presentPacks()
      try source.put([blob])
      let pack = try #require(try source.index.presentPacks().first { !known.contains($0) })
      let contents = try source.index.contents(of: pack)
      packs.append((pack, contents.size, contents.contents.encoded()))
    }
    let index = try to.open().index
    #expect(outcome { try index.takeOver([(packs[0].id, packs[1].size, packs[1].table)]) } == .damaged)
    #expect(index.listedPacks().isEmpty)
    // Of several, all or none.
    #expect(outcome { try index.takeOver([packs[0], (packs[1].id, packs[0].size, packs[0].table)]) } == .damaged)
    #expect(index.listedPacks().isEmpty)
    try index.takeOver(packs)
    #expect(Set(index.listedPacks().map(\.id)) == Set(packs.map(\.id)))
  }
}
