// A repair recovers what can still be recovered, and removes nothing.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RepairTests {
  let shop: RepositoryFixture
  private let packs: FolderTools
  /// The folder as it was saved in "one".
  private let one: Manifest

  init() throws {
    shop = try RepositoryFixture(parity: false)
    packs = shop.storeFolder.folder("packs")
    try shop.folder.makeFolder("a".bytes)
    try shop.folder.write("a/large".bytes, Content.random(400_000, seed: 1))
    try shop.folder.write("a/small".bytes, "small".bytes)
    for number in 0..<40 { try shop.folder.write("text \(number)".bytes, Content.text(3000, seed: UInt64(number))) }
    try shop.save("one")
    one = try shop.state
  }

  enum Damage: CaseIterable, Sendable {
    case missingPack, truncatedPack, emptyPack, packIsAFolder, flippedTable, flippedData, zeroedData, flippedTrees
  }

  /// Damages a pack. Returns the bytes that it has then; none when it is gone.
  @discardableResult
  private func hurt(_ damage: Damage, of pack: [UInt8]? = nil) throws -> [UInt8] {
    let name = try pack ?? #require(try packs.names().first)
    let bytes = try packs.read(name)
    var now: [UInt8]?
    switch damage {
    case .missingPack: try packs.remove(name)
    case .packIsAFolder:
      try packs.remove(name)
      try packs.makeFolder(name)
    case .truncatedPack: now = Array(bytes[..<(bytes.count - 100)])
    case .emptyPack: now = []
    case .flippedTable: now = Content.flipping(bytes, bit: (bytes.count - 80) * 8)
    case .flippedData: now = Content.flipping(bytes, bit: 200_000 * 8)
    case .zeroedData: now = bytes.enumerated().map { 100_000..<110_000 ~= $0.offset ? 0 : $0.element }
    case .flippedTrees:
      let tree = try #require(try shop.tree("one"))
      let place = try #require(try shop.repository.store.index.place(of: tree))
      now = Content.flipping(bytes, bit: (Int(place.block.offset) + 20) * 8)
    }
    if let now { try packs.write(name, now) }
    return now ?? []
  }

  /// Checks that all data in the store is intact, and that "one" can be restored.
  private func expectWhole(_ repository: Repository) throws {
    #expect(try repository.verify(readData: true).damage == [])
    _ = try repository.collectGarbage()
    try shop.folder.empty()
    _ = try repository.restore("one")
    #expect(try shop.state.differences(from: one) == [])
    let again = try shop.reopened()
    #expect(try again.repair().damageBefore == 0)
  }

  /// Snapshot records exist only in the store. When they are lost, nothing else knows what the folder was.
  @Test(arguments: Damage.allCases, [false, true])
  func fromTheFolderAndFromWhatIsLeft(_ damage: Damage, isOpen: Bool) throws {
    // The snapshot gets a pack of its own, which stays intact.
    var record = try shop.record("one")
    record.message = "another"
    let first = try #require(try packs.names().first)
    try packs.rename(first, to: "../away".bytes)
    try shop.plant(record, as: "one")
    let second = try #require(try packs.names().first)
    try packs.rename("../away".bytes, to: first)
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.timeline = FolderTimeline() }
    // Otherwise the earlier snapshot of the name would count, too, and it is lost.
    #expect(
      try shop.repository.store.refs.expire(
        keeping: [], isStored: { _ in true }, holding: try shop.repository.lockAlone(), waiting: 10))
    let damaged = try hurt(damage, of: first)
    #expect(try packs.names().contains(second))
    let repository = isOpen ? shop.repository : try shop.reopened()
    let repair = try repository.repair()
    #expect(repair.damageBefore > 0)
    #expect(repair.report.damage == [], "\(repair.report.damage)")
    #expect(!repair.wentBackToPreviousNames)
    #expect(repair.packsSetAside.count == (damage == .missingPack ? 0 : 1))
    for name in repair.packsSetAside where damage != .packIsAFolder {
      #expect(try shop.storeFolder.folder("damaged").read(name.bytes) == damaged)
    }
    try expectWhole(repository)
  }

  /// The index also knows what the table of a pack holds.
  @Test(arguments: [Damage.truncatedPack, .flippedTable])
  func fromTheIndexAlone(_ damage: Damage) throws {
    try hurt(damage)
    try shop.folder.empty()
    let repair = try shop.reopened().repair()
    #expect(repair.report.damage == [], "\(repair.report.damage)")
    try expectWhole(try shop.reopened())
  }

  @Test func whatIsGoneForGoodIsNamedAndTheRestKept() throws {
    let damaged = try hurt(.flippedData)
    try shop.folder.empty()
    let repair = try shop.reopened().repair()
    #expect(repair.report.damage.map(\.path) == [BytePath("a/large")])
    #expect(repair.report.damage.map(\.states) == [["one"]])
    #expect(repair.damageBefore == 2)
    #expect(try shop.storeFolder.folder("damaged").read(repair.packsSetAside[0].bytes) == damaged)
    // The rest is recovered, and all of it as soon as the file exists again.
    let (copy, _) = try shop.extract("one", to: "copy", paths: ["a/small", "text 7"])
    #expect(try copy.read("a/small".bytes) == "small".bytes)
    try shop.folder.write("found".bytes, Content.random(400_000, seed: 1))
    #expect(try shop.reopened().repair().report.damage == [])
    try expectWhole(try shop.reopened())
  }

  /// There are two damaged copies and an intact one.
  @Test func fromAnotherPack() throws {
    let name = try #require(try packs.names().first)
    let bytes = try packs.read(name)
    try packs.rename(name, to: "../away".bytes)
    try shop.folder.write("another".bytes, "so that the pack has another name".bytes)
    _ = try shop.reopened().save(SaveOptions(name: "two"))
    try packs.write(name, Content.flipping(bytes, bit: 200_000 * 8))
    try shop.folder.empty()
    let repair = try shop.reopened().repair()
    #expect(repair.report.damage == [] && repair.packsSetAside.count == 1)
    try expectWhole(try shop.reopened())
  }

  @Test func aWholeStoreIsLeftAsItIs() throws {
    let names = try packs.names()
    let refs = try shop.storeFolder.read("refs".bytes)
    let journal = try shop.storeFolder.read("journal".bytes)
    let repair = try shop.repository.repair()
    #expect(repair.damageBefore == 0 && repair.packsSetAside == [] && !repair.wentBackToPreviousNames)
    var again = try shop.repository.verify(readData: true)
    again.lastVerified = repair.report.lastVerified
    #expect(repair.report == again)
    #expect(try packs.names() == names)
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
    #expect(try shop.storeFolder.read("journal".bytes) == journal)
    #expect(!shop.storeFolder.exists("damaged"))
  }

  @Test func whoeverWorksWithTheStoreIsNotDisturbed() throws {
    try hurt(.flippedData)
    var options = RepositoryFixture.quick
    options.lockWait = 0
    let other = try Repository.find(from: BytePath(shop.folder.path), options: options)
    let lock = try shop.repository.lockForSaving(changes: true)
    #expect(code { try other.repair() } == .locked)
    _ = consume lock
    #expect(try shop.reopened().repair().report.damage == [])
  }

  // MARK: Names

  @Test(arguments: [false, true])
  func damagedNamesAreWhatTheyWereBefore(_ isMissing: Bool) throws {
    try shop.save("two")
    try shop.storeFolder.remove("backup".bytes)
    let refs = try shop.storeFolder.read("refs".bytes)
    let damaged = Content.flipping(refs, bit: (refs.count - 10) * 8)
    if isMissing {
      try shop.storeFolder.remove("refs".bytes)
    } else {
      try shop.storeFolder.write("refs".bytes, damaged)
    }
    #expect(code { try shop.reopened().verify() } == .damaged)
    let repair = try shop.reopened().repair()
    #expect(repair.wentBackToPreviousNames && repair.damageBefore == 1 && repair.report.damage == [])
    #expect(try shop.reopened().stateNames().keys.sorted() == ["one"])
    if !isMissing { #expect(try shop.storeFolder.read("damaged/refs".bytes) == damaged) }
    try expectWhole(try shop.reopened())
  }

  /// The store keeps the list before the present one, and a second copy of both.
  @Test(arguments: [false, true])
  func aDamagedListOfStates(_ hasCopy: Bool) throws {
    func fill(_ prefix: String) throws {
      try shop.repository.saveValues((0..<600).map { NamedValue(name: "\(prefix)\($0)", bytes: "v".bytes) })
    }
    try fill("a")
    let before = try shop.repository.stateNames().count
    try fill("b")
    let all = try shop.repository.stateNames().count
    if !hasCopy { try shop.storeFolder.remove("backup".bytes) }
    let head = String(decoding: try shop.storeFolder.read("refs".bytes), as: UTF8.self)
    let lists = shop.storeFolder.folder("states")
    let list = try #require(try lists.names().first { head.contains(String(decoding: $0, as: UTF8.self)) })
    try lists.write(list, Content.flipping(try lists.read(list), bit: 8000))
    #expect(code { try shop.reopened().stateNames() } == (hasCopy ? nil : RepositoryError.Code.damaged))
    let repair = try shop.reopened().repair()
    #expect(repair.wentBackToPreviousNames == !hasCopy)
    #expect(repair.partsPutBack.map(\.path) == [hasCopy ? "states/" : "refs"])
    #expect(try shop.reopened().stateNames().count == (hasCopy ? all : before))
    try expectWhole(try shop.reopened())
  }

  @Test func namesThatAreDamagedTwiceStayAsTheyAre() throws {
    try shop.save("two")
    for name in ["refs", "refs.prev", "backup/refs"] {
      try shop.storeFolder.write(name.bytes, Content.flipping(try shop.storeFolder.read(name.bytes), bit: 900))
    }
    let before = try shop.storeFolder.read("refs".bytes)
    #expect(code { try shop.reopened().repair() } == .damaged)
    #expect(try shop.storeFolder.read("refs".bytes) == before)
  }
}
