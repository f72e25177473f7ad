import MementoStore
import TestSupport
import Testing

@testable import MementoKit

struct StatisticsTests {
  private func state(_ found: StoreStatistics, _ name: String) throws -> StoreStatistics.State {
    try #require(found.states.first { $0.name == name })
  }

  private func choose(_ names: String...) -> StatisticsOptions {
    var options = StatisticsOptions()
    options.names = names
    return options
  }

  /// What is said to become free is what gc frees, to the byte.
  @Test func whatIsFreedIsWhatGCFrees() throws {
    let shop = try RepositoryFixture()
    for name in ["a", "b", "c"] {
      try shop.repository.saveValues([
        NamedValue(name: name, bytes: Content.random(40_000, seed: UInt64(name.utf8.first ?? 0)))
      ])
    }
    try shop.repository.saveValues([
      NamedValue(name: "twin", bytes: Content.random(40_000, seed: UInt64(UInt8(ascii: "c"))))
    ])
    let found = try shop.repository.statistics()
    #expect(
      found.rawBytes == 160_000 && found.files == 4 && found.damage == 0
        && found.states.map(\.name) == ["a", "b", "c", "twin"])
    let a = try state(found, "a")
    #expect(a.rawBytes == 40_000 && a.amounts.alone.raw > 40_000 && a.amounts.freedNow == a.amounts.alone)
    // The content of c is that of its twin as well: only its record is its own.
    let c = try state(found, "c")
    #expect(c.amounts.alone.raw < 1000 && c.amounts.alone.raw > 0)
    #expect(found.all.raw < 130_000 && found.amounts.alone == found.all && found.amounts.freedNow == found.all)
    #expect(found.packs == 4 && found.packBytes >= found.keptBytes && found.keptBytes == found.all.stored)
    for set in [["a"], ["a", "b"], ["c"], ["c", "twin"]] {
      var options = StatisticsOptions()
      options.names = set
      let promised = try shop.repository.statistics(options)
      #expect(promised.states.map(\.name) == set)
      #expect(promised.keepers.otherStates.raw == promised.all.raw - promised.amounts.freedNow.raw)
      #expect(promised.keepers.states.reduce(0) { $0 + $1.amount.raw } == promised.keepers.otherStates.raw)
      #expect(promised.keepers.states.map(\.names) == (set == ["c"] ? [["twin"]] : []))
    }
    // Deleted, it is kept by the trash; without the trash it is gone.
    let before = try rawBytes(shop)
    _ = try shop.repository.delete(["a"])
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(try before - rawBytes(shop) == a.amounts.freedNow.raw)
  }

  /// The bytes of all blobs in the packs.
  private func rawBytes(_ shop: RepositoryFixture) throws -> UInt64 {
    let store = try shop.reopened().store
    var sum: UInt64 = 0
    for pack in try store.index.presentPacks() {
      sum += try store.index.contents(of: pack).contents.blobs.reduce(0) { $0 + UInt64($1.length) }
    }
    return sum
  }

  @Test func whoKeepsItIsTold() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("x.bin".bytes, Content.random(50_000, seed: 1))
    try shop.save("one")
    try shop.folder.write("x.bin".bytes, Content.random(50_000, seed: 2))
    try shop.save()
    try shop.folder.write("x.bin".bytes, Content.random(50_000, seed: 3))
    try shop.save("three")
    let found = try shop.repository.statistics()
    let one = try state(found, "one")
    let three = try state(found, "three")
    #expect(!one.isCurrent && three.isCurrent)
    // Nothing but its own step has what "one" holds; a step without a name has another file.
    #expect(one.amounts.alone.raw > 50_000 && one.amounts.freedNow.raw == one.amounts.alone.raw)
    #expect(three.amounts.alone.raw > 50_000 && three.amounts.freedLater.raw == 0)
    #expect(found.keepers.position.raw == three.amounts.alone.raw && found.keepers.timeline.raw == 0)
    #expect(found.growth.count == 3 && found.growth.allSatisfy { $0.added.raw > 50_000 })
    #expect(found.keptBytes > found.all.stored)
    // A name that is replaced leaves its snapshot to the timeline, or to the trash.
    try shop.repository.saveValues([NamedValue(name: "v", bytes: Content.random(9000, seed: 4))])
    try shop.repository.saveValues([NamedValue(name: "w", bytes: Content.random(9000, seed: 4))])
    _ = try shop.repository.delete(["w"])
    let value = try shop.repository.statistics(choose("v"))
    #expect(value.keepers.trash.raw >= 9000 && value.amounts.freedNow.raw < 1000 && value.amounts.freedLater.raw > 9000)
    #expect(value.amounts.alone.raw == value.amounts.freedLater.raw)
  }

  @Test func aSecondNameHasAllOfIt() throws {
    let shop = try RepositoryFixture()
    try shop.repository.saveValues([NamedValue(name: "v", bytes: Content.random(9000, seed: 4))])
    try shop.repository.name("v", as: "same")
    let both = try shop.repository.statistics()
    #expect(both.states.allSatisfy { $0.amounts == HeldAmounts() })
    #expect(both.amounts.freedNow.raw > 9000 && both.rawBytes == 18_000)
    let one = try shop.repository.statistics(choose("v"))
    #expect(one.amounts.freedNow.raw == 0 && one.keepers.otherStates.raw > 9000)
    var byID = StatisticsOptions()
    byID.revisions = [Revision(one.states[0].snapshot)]
    #expect(try shop.repository.statistics(byID).states.map(\.name) == ["same", "v"])
    #expect(code { try shop.repository.statistics(choose("none")) } == .noSuchState)
  }

  @Test func partsAddUp() throws {
    let shop = try RepositoryFixture()
    try shop.folder.makeFolder("src".bytes)
    try shop.folder.makeFolder("art".bytes)
    try shop.folder.write("src/a.swift".bytes, Content.random(30_000, seed: 1))
    try shop.folder.write("src/b.SWIFT".bytes, Content.random(20_000, seed: 2))
    try shop.folder.write("art/big.png".bytes, Content.random(900_000, seed: 3))
    try shop.folder.write("art/copy.jpg".bytes, Content.random(30_000, seed: 1))
    try shop.folder.write("README".bytes, Content.random(1000, seed: 4))
    try shop.save("one")
    let found = try shop.repository.statistics()
    #expect(found.folders.map { String(decoding: $0.name, as: UTF8.self) } == ["art", "src", ""])
    #expect(found.kinds.first.map { String(decoding: $0.name, as: UTF8.self) } == "png")
    #expect(found.kinds.first?.amount.raw ?? 0 >= 900_000)
    #expect(Set(found.kinds.map { String(decoding: $0.name, as: UTF8.self) }).isSuperset(of: ["png", "swift", ""]))
    // Everything but the record, the tree at the top and what trees take counts in one kind.
    let kinds = found.kinds.reduce(0) { $0 + $1.amount.raw }
    #expect(kinds >= 951_000 && kinds <= found.all.raw)
    #expect(found.folders.reduce(0) { $0 + $1.amount.raw } <= found.all.raw)
    #expect(found.folders.reduce(0) { $0 + $1.amount.raw } >= kinds)
  }

  @Test func damageIsCountedAndNothingElse() throws {
    let shop = try RepositoryFixture()
    for name in ["one", "two"] {
      try shop.repository.saveValues([
        NamedValue(name: name, bytes: Content.random(9000, seed: UInt64(name.utf8.last ?? 0)))
      ])
    }
    let lost = ObjectID(hashing: "lost".bytes)
    let lock = try shop.repository.lockForNaming()
    try shop.repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in refs["gone"] = lost }
    _ = consume lock
    let found = try shop.repository.statistics()
    #expect(found.damage > 0 && found.states.map(\.name) == ["gone", "one", "two"])
    #expect(found.states[0].time == nil && found.states[1].amounts.freedNow.raw > 9000)
    // An empty store has nothing to tell.
    let none = try RepositoryFixture()
    let empty = try none.repository.statistics()
    #expect(empty.states == [] && empty.growth == [] && empty.damage == 0)
  }
}
