// A gc that has nothing to do knows that from the one before, and looks again when anything has changed.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct LastCollectionTests {
  private static let day: UInt64 = 86400
  private let shop: RepositoryFixture
  private let clock = TestClock()

  init() throws {
    shop = try RepositoryFixture(parity: false)
  }

  private func open() throws -> Repository {
    var options = RepositoryFixture.quick
    options.clock = clock.read
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  private func save(_ text: String, _ name: String? = nil) throws {
    try shop.folder.write("file".bytes, text.bytes)
    _ = try open().save(SaveOptions(name: name))
  }

  /// Whether a gc marks anything: with a damaged pack, it would fail.
  private func marks(_ change: (inout GarbageOptions) -> Void = { _ in }) throws -> Bool {
    let packs = shop.storeFolder.folder("packs")
    let name = try #require(try packs.names().first)
    let bytes = try packs.read(name)
    try packs.write(name, Array(bytes.prefix(20)) + Content.zeros(bytes.count - 20))
    defer { try? packs.write(name, bytes) }
    var options = GarbageOptions()
    options.isDryRun = true
    change(&options)
    let end = code { try open().collectGarbage(options) }
    #expect(end == nil || end == .damaged)
    return end != nil
  }

  @Test func whatIsKnownIsNotLookedAtAgain() throws {
    for number in 0..<5 { try save("\(number)", number == 2 ? "two" : nil) }
    #expect(try marks())
    let first = try open().collectGarbage()
    #expect(try !marks())
    let again = try open().collectGarbage()
    #expect(again.bytesFreed == 0 && again.bytesKept == first.bytesKept && again.space == first.space)
    #expect(again.rewriteThreshold == 20 && again.isCommitted && again.unnamedAge == 30 * LastCollectionTests.day)
    // Other rules, and other states of the store.
    #expect(try marks { $0.unnamedAge = 0 } && marks { $0.budget = RetentionPolicy.Budget(bytes: 10) })
    clock.pass(seconds: 30 * LastCollectionTests.day)
    #expect(try marks())
    _ = try open().collectGarbage()
    #expect(try !marks())
    try save("more")
    #expect(try marks())
    _ = try open().collectGarbage()
    #expect(try !marks())
    _ = try open().delete(["two"])
    #expect(try marks())
  }

  /// What the trash holds is named each time, though it was measured once.
  @Test func whatTheTrashHoldsIsKnown() throws {
    try save("one", "one")
    try save("two")
    try open().saveValues([NamedValue(name: "v", bytes: "v".bytes)])
    _ = try open().delete(["v"])
    let first = try #require(try open().collectGarbage().held.first)
    #expect(first.names == ["v"] && first.bytes > 0 && first.isWhole)
    #expect(try !marks())
    clock.pass(seconds: LastCollectionTests.day)
    var options = GarbageOptions()
    options.isDryRun = true
    let again = try open().collectGarbage(options).held
    #expect(again.map(\.names) == [["v"]] && again.map(\.bytes) == [first.bytes])
    #expect(again.first?.age == first.age + LastCollectionTests.day)
    clock.pass(seconds: 13 * LastCollectionTests.day)
    #expect(try marks())
    #expect(try open().collectGarbage().dropped.map(\.names) == [["v"]])
    #expect(try !marks())
  }

  @Test func damageToTheRecordIsNoticed() throws {
    let record = LastCollection(
      store: ObjectID(hashing: "x".bytes), until: 5, bytesKept: 6,
      space: SpaceUse(named: 1, unnamed: 2, trash: 3, unneeded: 4),
      threshold: 20,
      held: [LastCollection.Held(snapshot: ObjectID(hashing: "y".bytes), bytes: 7, isWhole: true)])
    let bytes = record.encoded()
    #expect(LastCollection(bytes) == record)
    for length in 0..<bytes.count { #expect(LastCollection(Array(bytes.prefix(length))) == nil) }
    for bit in 0..<bytes.count * 8 { #expect(LastCollection(Content.flipping(bytes, bit: bit)) == nil) }
    #expect(LastCollection(bytes + bytes) == nil)
    try save("one", "one")
    _ = try open().collectGarbage()
    try shop.storeFolder.write("cache/gc".bytes, "noise".bytes)
    #expect(try marks())
    _ = try open().collectGarbage()
    #expect(try !marks())
  }

  /// Files with a right checksum that no gc writes: a record may only be believed as far as it is understood.
  @Test func aRecordOfAnotherFormIsNotRead() throws {
    let one = LastCollection.Held(snapshot: ObjectID(hashing: "y".bytes), bytes: 7, isWhole: true)
    func record(_ count: Int) -> [UInt8] {
      let held = [LastCollection.Held](repeating: one, count: count)
      return LastCollection(
        store: ObjectID(hashing: "x".bytes), until: 5, bytesKept: 6, space: SpaceUse(), threshold: 20, held: held
      ).encoded()
    }
    func summed(_ body: [UInt8]) -> [UInt8] {
      var sum = ByteWriter()
      sum.u32(crc32(body))
      return body + sum.bytes
    }
    let body = Array(record(1).dropLast(4))
    #expect(LastCollection(summed(body)) != nil)
    // An earlier version, which knew other rules.
    #expect(LastCollection(summed("memento gc 1\n\0\0\0".bytes + body[LastCollection.magic.count...])) == nil)
    // A byte that is neither yes nor no.
    #expect(LastCollection(summed(body.dropLast() + [2])) == nil)
    #expect(LastCollection(summed(body.dropLast() + [0]))?.held.first?.isWhole == false)
    // More than is noted.
    #expect(LastCollection(record(LastCollection.mostHeld)) != nil)
    #expect(LastCollection(record(LastCollection.mostHeld + 1)) == nil)
    // Bytes behind what counts, with a checksum at each place where one is looked for: that of bytes with their own checksum
    // behind them is always the same.
    let known: [UInt8] = [0x1c, 0xdf, 0x44, 0x21]
    let longer = summed(body + known)
    #expect(crc32(longer) == 0x2144_df1c)
    #expect(LastCollection(longer + Content.zeros(4)) == nil)
  }
}
