// Damage is found early, and nothing relies on what was found damaged.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct EarlyDamageTests {
  let shop: RepositoryFixture
  private let packs: FolderTools

  /// A store without parity, in which a damaged block is lost.
  init() throws {
    shop = try RepositoryFixture(parity: false)
    packs = shop.storeFolder.folder("packs")
    for number in 0..<8 { try shop.folder.write("f\(number)".bytes, Content.random(300_000, seed: UInt64(number))) }
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/small".bytes, "small".bytes)
    try shop.save("one")
  }

  /// The pack with the files.
  private func largest() throws -> [UInt8] {
    let sizes = try packs.names().map { ($0, try packs.read($0).count) }
    return try #require(sizes.max { $0.1 < $1.1 }?.0)
  }

  private func damage(at place: Int = 700_000) throws {
    let name = try largest()
    try packs.write(name, Content.flipping(try packs.read(name), bit: place * 8))
  }

  // MARK: What a save relies on

  /// Each of these commands reads the damaged block.
  @Test(arguments: ["verify", "cat", "restore"])
  func aSaveStoresAgainWhatACommandFoundDamaged(_ command: String) throws {
    #expect(try shop.reopened().save(SaveOptions(name: "two")).bytesStored < 10_000)
    try damage()
    #expect(try shop.reopened().verify().damage == [])
    #expect(!shop.directory.exists("work/.memento/bad-blocks"))
    switch command {
    case "verify": #expect(try !shop.reopened().verify(readData: true).damage.isEmpty)
    case "cat":
      for number in 0..<8 {
        var reader = try shop.reopened().content(of: "one", path: BytePath("f\(number)"))
        do { while try reader.next() != nil {} } catch {}
      }
    default: _ = code { try shop.extract("one", to: "copy") }
    }
    #expect(shop.directory.exists("work/.memento/bad-blocks"))
    // The folder has not changed: no file would be read, and nothing stored.
    let saved = try shop.reopened().save(SaveOptions(name: "three"))
    #expect(saved.bytesStored > 100_000)
    let (copy, _) = try shop.extract("three", to: "whole")
    #expect(try Manifest(copy).differences(from: shop.state) == [])
    // Once is enough.
    #expect(try shop.reopened().save(SaveOptions(name: "four")).bytesStored < 10_000)
    #expect(try shop.reopened().save(SaveOptions(name: "five")).bytesRead == 0)
  }

  @Test func damagedTreesAreStoredAgain() throws {
    let tree = try #require(try shop.tree("one"))
    let place = try #require(try shop.repository.store.index.place(of: tree))
    let name = try largest()
    try packs.write(name, Content.flipping(try packs.read(name), bit: (Int(place.block.offset) + 20) * 8))
    #expect(try !shop.reopened().verify().damage.isEmpty)
    _ = try shop.reopened().save(SaveOptions(name: "two"))
    let (copy, _) = try shop.extract("two", to: "whole")
    #expect(try Manifest(copy).differences(from: shop.state) == [])
  }

  @Test func aRepairForgetsBadBlocks() throws {
    try damage()
    _ = try shop.reopened().verify(readData: true)
    #expect(shop.directory.exists("work/.memento/bad-blocks"))
    #expect(try shop.reopened().repair().report.damage == [])
    #expect(!shop.directory.exists("work/.memento/bad-blocks"))
    #expect(try shop.reopened().save(SaveOptions(name: "two")).bytesStored < 10_000)
  }

  @Test(arguments: ["", "block", "block x 1\nblock", "\u{1}\n\n\nblock 5 -1\n", "memento"])
  func aDamagedListSaysNothing(_ text: String) throws {
    try shop.storeFolder.write("bad-blocks".bytes, text.bytes)
    #expect(try shop.reopened().save(SaveOptions(name: "two")).bytesStored < 10_000)
    try shop.storeFolder.remove("bad-blocks".bytes)
    try shop.storeFolder.makeFolder("bad-blocks".bytes)
    #expect(try shop.reopened().save(SaveOptions(name: "three")).bytesStored < 10_000)
  }

  /// The list does not grow beyond its limit, whatever is damaged.
  @Test func aFullListStaysAsItIs() throws {
    let full = [UInt8](repeating: UInt8(ascii: "\n"), count: 8 << 20)
    try shop.storeFolder.write("bad-blocks".bytes, full)
    try damage()
    #expect(try !shop.reopened().verify(readData: true).damage.isEmpty)
    #expect(try shop.storeFolder.read("bad-blocks".bytes) == full)
    try shop.storeFolder.write("bad-blocks".bytes, full.dropLast())
    #expect(try !shop.reopened().verify(readData: true).damage.isEmpty)
    #expect(try shop.storeFolder.read("bad-blocks".bytes).count > full.count)
  }

  /// Some save finds the damage by itself: nearly every byte of the folder is damaged.
  @Test func savesSampleWhatTheyRelyOn() throws {
    let name = try largest()
    var bytes = try packs.read(name)
    for place in stride(from: 1000, to: 2_300_000, by: 50_000) { bytes[place] ^= 1 }
    try packs.write(name, bytes)
    for number in 0..<300 where !shop.directory.exists("work/.memento/bad-blocks") {
      try shop.folder.write("d/small".bytes, "\(number)".bytes)
      _ = try shop.reopened().save(SaveOptions(name: "s\(number)"))
    }
    #expect(shop.directory.exists("work/.memento/bad-blocks"))
  }

  /// A value that is stored already is looked at, and stored again by the next save.
  @Test func savesOfValuesSampleWhatTheyRelyOn() throws {
    let bytes = Content.random(400_000, seed: 77)
    try shop.repository.saveValues([NamedValue(name: "v", bytes: bytes)])
    // Every chunk of it is damaged.
    let name = try #require(
      try packs.names().first { try packs.read($0).count > 399_000 && packs.read($0).count < 450_000 })
    var pack = try packs.read(name)
    for place in stride(from: 100, to: 399_000, by: 1000) { pack[place] ^= 1 }
    try packs.write(name, pack)
    try shop.reopened().saveValues([NamedValue(name: "new", bytes: Content.random(1000, seed: 78))])
    #expect(!shop.directory.exists("work/.memento/bad-blocks"))
    for number in 0..<20 where !shop.directory.exists("work/.memento/bad-blocks") {
      try shop.reopened().saveValues([NamedValue(name: "w\(number)", bytes: bytes)])
    }
    #expect(shop.directory.exists("work/.memento/bad-blocks"))
    try shop.reopened().saveValues([NamedValue(name: "again", bytes: bytes)])
    #expect(try shop.reopened().content(ofState: "again")?.value == bytes)
  }

  // MARK: What verify reads

  @Test func aTenthIsAnotherOneEachTime() throws {
    // A pack of its own, so that there is more than one.
    try shop.folder.write("more".bytes, Content.random(900_000, seed: 99))
    try shop.save("two")
    #expect(shop.repository.lastVerified() == nil)
    #expect(try shop.repository.status().lastVerified == nil)
    var read: UInt64 = 0
    var runs = 0
    while runs < 30, shop.repository.lastVerified() == nil {
      let report = try shop.reopened().verify(VerifyOptions(readPercent: 10))
      #expect(report.damage == [] && report.bytesRead > 0 && report.bytesRead < 2_000_000)
      read += report.bytesRead
      runs += 1
    }
    let all = try shop.reopened().verify(readData: true).bytesRead
    // The last part may begin anew.
    #expect(read >= all && read < all + 1_600_000, "\(read) in \(runs) runs")
    #expect((2...10).contains(runs))
    #expect(try shop.repository.status().lastVerified == shop.repository.lastVerified())
  }

  @Test func onlyWhatIsDueIsRead() throws {
    let report = try shop.repository.verify(readData: true)
    #expect(report.bytesRead > 2_000_000)
    let time = try #require(report.lastVerified)
    var options = VerifyOptions(readPercent: 100)
    options.notReadSince = time
    #expect(try shop.repository.verify(options).bytesRead == 0)
    try shop.folder.write("new".bytes, Content.random(50_000, seed: 5))
    try shop.save("two")
    let due = try shop.repository.verify(options).bytesRead
    #expect(due > 50_000 && due < 100_000)
    #expect(shop.repository.lastVerified() == time)
    options.notReadSince = SnapshotTime(seconds: time.seconds + 1_000_000, nanoseconds: 0)
    #expect(try shop.repository.verify(options).bytesRead > 2_000_000)
  }

  @Test func damagedPacksDoNotCountAsRead() throws {
    try damage()
    #expect(try shop.reopened().verify(readData: true).lastVerified == nil)
    #expect(try shop.reopened().repair().report.damage == [])
    #expect(shop.repository.lastVerified() != nil)
  }

  @Test func theRecordMayBeLostOrWrong() throws {
    _ = try shop.repository.verify(readData: true)
    let cache = shop.storeFolder.folder("cache")
    let bytes = try cache.read("verified".bytes)
    try cache.write("verified".bytes, Content.flipping(bytes, bit: 500))
    #expect(shop.repository.lastVerified() == nil)
    try cache.remove("verified".bytes)
    try cache.makeFolder("verified".bytes)
    #expect(shop.repository.lastVerified() == nil)
    #expect(try shop.repository.verify(readData: true).damage == [])
  }
}
