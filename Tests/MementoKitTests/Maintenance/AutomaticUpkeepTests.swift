// Saves keep the store fast by themselves, within the time that they may take.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct AutomaticUpkeepTests {
  private let shop: RepositoryFixture
  private let ticks = SaveTicks()

  init() throws {
    shop = try RepositoryFixture()
  }

  private func open(_ config: String = "") throws -> Repository {
    if !config.isEmpty { _ = try shop.configured(config) }
    ticks.begin()
    var options = RepositoryFixture.quick
    options.isDurable = true
    options.lockWait = 0
    options.upkeepClock = ticks.read
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  /// Each save as a process of its own would do it.
  private func save(_ numbers: Range<Int>, _ config: String = "") throws {
    for number in numbers {
      try shop.folder.write("file".bytes, "number \(number)".bytes)
      _ = try open(number == numbers.lowerBound ? config : "").save(
        SaveOptions(name: number % 10 == 0 ? "n\(number)" : nil))
    }
  }

  private var packs: Int { get throws { try shop.storeFolder.folder("packs").names().count } }

  @Test func packsStayFew() throws {
    try save(0..<60)
    #expect(try packs < 25)
    let repository = try shop.reopened()
    #expect(try repository.verify(readData: true).damage == [])
    #expect(try repository.log().count == 60)
    for number in stride(from: 0, to: 60, by: 10) {
      #expect(try repository.restore("n\(number)").snapshot.name == "n\(number)")
      #expect(try shop.folder.read("file".bytes) == "number \(number)".bytes)
    }
  }

  @Test(arguments: ["auto-gc = false\n", ""]) func itCanBeTurnedOff(_ config: String) throws {
    // A save that takes no time has no time for anything else.
    if config.isEmpty { ticks.set(save: 0, step: 1) }
    try save(0..<30, config)
    #expect(try packs == 30)
  }

  /// A piece ends when its time is up: here that is after four packs.
  @Test func aPieceIsBounded() throws {
    try save(0..<20, "auto-gc = false\n")
    try shop.storeFolder.write(
      "config".bytes, try shop.storeFolder.read("config".bytes) + "auto-gc = true\n".bytes)
    ticks.set(save: 1_000_000_000, step: 90_000_000)
    try save(20..<21)
    #expect(try packs == 18)
    #expect(try shop.reopened().verify(readData: true).damage == [])
  }

  /// Somebody else uses the store: the save is done, and waits for nobody.
  @Test func itWaitsForNobody() throws {
    try save(0..<14)
    let other = try shop.reopened()
    do {
      let lock = try other.lockForReading()
      try save(14..<30)
      #expect(try packs == 30)
      _ = consume lock
    }
    try save(30..<31)
    #expect(try packs < 5)
  }

  /// The first bytes of the notes of a collection are read alone.
  @Test func damageToTheHeadOfTheNotesIsNoticed() throws {
    try save(0..<3)
    let bytes = try shop.storeFolder.read("cache/mark".bytes)
    #expect(SpreadCollection.header(bytes) != nil)
    for bit in 0..<SpreadCollection.headerSize * 8 {
      #expect(SpreadCollection.header(Content.flipping(bytes, bit: bit)) == nil, "bit \(bit)")
    }
    #expect(SpreadCollection.header(Array(bytes.prefix(SpreadCollection.headerSize - 1))) == nil)
  }

  /// What was saved by a merge is vouched for by the stat cache all the same: nothing is read again.
  @Test func theStatCacheStaysGood() throws {
    for number in 0..<20 { try shop.folder.write("f\(number)".bytes, Content.random(5000, seed: UInt64(number))) }
    Clock.sleep(seconds: 0.02)
    try save(0..<40)
    #expect(try packs < 25)
    try shop.folder.write("more".bytes, "more".bytes)
    let again = try shop.reopened()
    let present = try again.store.index.intactPacks()
    let identity = try shop.repository.root.descriptor.status().identity
    let cache = try #require(StatCache(again.worktree, of: identity, presentPacks: present))
    #expect(cache.coversPacks)
    let summary = try open().save()
    #expect(summary.bytesRead < 100)
    // Without the note of what was merged, the cache does not vouch for packs that are gone.
    try save(40..<60)
    try shop.storeFolder.write("cache/merged".bytes, "noise".bytes)
    #expect(try open().save(SaveOptions(name: "again")).isCommitted)
    #expect(try shop.reopened().verify(readData: true).damage == [])
  }

  // MARK: What was merged into what

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  @Test func whatWasMergedIsFoundThroughAllMerges() throws {
    var merged = MergedPacks()
    merged.fixedCost = 7
    merged.add([id(1), id(2)], into: id(3))
    merged.add([id(3), id(4)], into: id(5))
    let again = try #require(MergedPacks(merged.encoded()))
    #expect(again.fixedCost == 7 && again.encoded() == merged.encoded())
    func find(_ pack: Int, _ present: Int...) -> Int? {
      let found = again.present(id(pack).words.0, among: Set(present.map { id($0).words.0 }))
      return found.flatMap { found in (0..<10).first { id($0).words.0 == found } }
    }
    #expect(find(1, 5) == 5 && find(4, 5) == 5 && find(1, 1) == 1 && find(1, 3) == 3)
    #expect(find(1, 4) == nil && find(9, 5) == nil)
    for number in 0..<3000 { merged.add([id(number)], into: id(number + 1)) }
    #expect(merged.encoded().count < 20_000 && MergedPacks(merged.encoded()) != nil)
  }

  @Test func damageToThisIsNoticed() throws {
    var merged = MergedPacks()
    merged.add([id(1), id(2)], into: id(3))
    let bytes = merged.encoded()
    for length in 0..<bytes.count { #expect(MergedPacks(Array(bytes.prefix(length))) == nil) }
    for bit in 0..<bytes.count * 8 { #expect(MergedPacks(Content.flipping(bytes, bit: bit)) == nil) }
    #expect(MergedPacks(bytes + bytes) == nil)
  }

  /// A note of another version may mean something else, and a longer one than is kept was not written here. Both have a
  /// right checksum.
  @Test func aNoteOfAnotherFormIsNotRead() throws {
    func note(_ magic: [UInt8], _ count: Int) -> [UInt8] {
      var writer = ByteWriter()
      writer.append(magic)
      for number in 0...count * 2 { writer.u64(UInt64(number)) }
      writer.u32(crc32(writer.bytes))
      return writer.bytes
    }
    #expect(MergedPacks(note(MergedPacks.magic, 2)) != nil)
    #expect(MergedPacks(note("memento merged 2".bytes, 2)) == nil)
    let most = (MergedPacks.sizeLimit - note(MergedPacks.magic, 0).count) / 16
    #expect(MergedPacks(note(MergedPacks.magic, most)) != nil)
    #expect(MergedPacks(note(MergedPacks.magic, most + 1)) == nil)
  }
}
