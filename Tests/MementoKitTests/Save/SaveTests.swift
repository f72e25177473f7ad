// What a save reads, and what it must not miss.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct SaveTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    let folder = shop.folder
    try folder.makeFolder("a".bytes)
    try folder.makeFolder("a/b".bytes)
    try folder.makeFolder("empty".bytes)
    for number in 0..<10 { try folder.write("a/\(number)".bytes, "file \(number)".bytes) }
    try folder.write("a/b/large".bytes, Content.random(300_000, seed: 1))
    try folder.makeLink("link".bytes, to: "a".bytes)
  }

  static let total: UInt64 = 300_060

  /// The cache is only trusted for files that are older than the save itself.
  private func settle() {
    Clock.sleep(seconds: 0.02)
  }

  @Test func readsEverythingOnceAndThenNothing() throws {
    settle()
    let first = try shop.save("one")
    #expect(first.bytesRead == SaveTests.total)
    #expect(first.snapshot.bytes == SaveTests.total)
    #expect(first.snapshot.files == 11)
    #expect(first.changes == ChangeCounts(added: 12))
    let second = try shop.save("two")
    #expect(second.bytesRead == 0)
    #expect(second.changes == ChangeCounts())
    #expect(try shop.tree("one") == shop.tree("two"))
    #expect(second.snapshot.parent == first.snapshot.id)
    let third = try shop.reopened().save()
    #expect(third.bytesRead == 0)
    #expect(second.bytesStored < 4096)
  }

  @Test func rehashReadsEverything() throws {
    settle()
    try shop.save("one")
    let again = try shop.save { $0.rehash = true }
    #expect(again.bytesRead == SaveTests.total)
    #expect(again.changes.isEmpty)
    #expect(try shop.save().bytesRead == 0)
  }

  @Test func readsOnlyWhatChanged() throws {
    settle()
    try shop.save("one")
    try shop.folder.write("a/3".bytes, "changed".bytes)
    try shop.folder.write("a/new".bytes, "new".bytes)
    try shop.folder.remove("a/4".bytes)
    settle()
    let second = try shop.save("two")
    #expect(second.bytesRead == 10)
    #expect(second.changes == ChangeCounts(added: 1, modified: 1, removed: 1))
  }

  @Test func anEditOfTheSameSizeWithTheTimePutBackIsSeen() throws {
    try shop.folder.setTime("a/3".bytes, 1_000_000_000)
    settle()
    try shop.save("one")
    try shop.folder.patch("a/3".bytes, "X".bytes, at: 0)
    try shop.folder.setTime("a/3".bytes, 1_000_000_000)
    let second = try shop.save("two")
    #expect(second.changes == ChangeCounts(modified: 1))
    #expect(second.bytesRead == 6)
    try shop.restore("one")
    #expect(try shop.folder.read("a/3".bytes) == "file 3".bytes)
  }

  /// Edits follow a save so quickly that the file system may give them the same time.
  @Test func editsRightAfterASaveAreSeen() throws {
    for round in 0..<50 {
      let text = "round \(round % 10)!"
      try shop.folder.write("racy".bytes, text.bytes)
      try shop.save("state")
      try shop.folder.patch("racy".bytes, "ROUND".bytes, at: 0)
      let second = try shop.save("state")
      #expect(second.changes == ChangeCounts(modified: 1))
    }
  }

  @Test func aRenamedFolderIsNotRead() throws {
    settle()
    try shop.save("one")
    try shop.folder.rename("a".bytes, to: "renamed".bytes)
    let second = try shop.save("two")
    #expect(second.bytesRead == 0)
    #expect(second.changes == ChangeCounts(added: 11, removed: 11))
    try shop.folder.makeFolder("deeper".bytes)
    try shop.folder.rename("renamed/b".bytes, to: "deeper/c".bytes)
    #expect(try shop.save("three").bytesRead == 0)
    #expect(try shop.repository.verify(readData: true).damage == [])
  }

  enum CacheFate: CaseIterable, Sendable {
    case deleted, empty, truncated, halved, zeroed, flipped, random, folder, link, otherFolders
  }

  @Test(arguments: CacheFate.allCases)
  func aBadCacheCostsOnlyReading(_ fate: CacheFate) throws {
    settle()
    try shop.save("one")
    let cache = shop.storeFolder.folder("cache")
    let name = "stat".bytes
    let bytes = try cache.read(name)
    switch fate {
    case .deleted: try cache.remove(name)
    case .empty: try cache.write(name, [])
    case .truncated: try cache.write(name, Array(bytes.dropLast()))
    case .halved: try cache.write(name, Array(bytes[..<(bytes.count / 2)]))
    case .zeroed: try cache.write(name, Content.zeros(bytes.count))
    case .flipped: try cache.write(name, Content.flipping(bytes, bit: bytes.count * 4))
    case .random: try cache.write(name, Content.random(bytes.count, seed: 1))
    case .folder:
      try cache.remove(name)
      try cache.makeFolder(name)
    case .link:
      try cache.remove(name)
      try cache.makeLink(name, to: shop.outside.path + "/canary".bytes)
    case .otherFolders:
      let other = try RepositoryFixture()
      try other.folder.write("x".bytes, "y".bytes)
      try other.save()
      try cache.write(name, other.storeFolder.folder("cache").read(name))
    }
    let second = try shop.save("two")
    #expect(try shop.tree("one") == shop.tree("two"))
    #expect(second.snapshot.isComplete)
    #expect(try shop.outside.read("canary".bytes) == "alive".bytes)
    #expect(try shop.save("three").snapshot.isComplete)
    #expect(try shop.tree("three") == shop.tree("one"))
  }

  /// Any byte of the cache may be wrong; the tree must still be right.
  @Test func noFlippedByteOfTheCacheMisleads() throws {
    settle()
    try shop.save("one")
    let expected = try shop.tree("one")
    let cache = shop.storeFolder.folder("cache")
    let bytes = try cache.read("stat".bytes)
    var generator = SplitMix64(seed: 7)
    for _ in 0..<60 {
      var damaged = bytes
      let place = Int(generator.next() % UInt64(bytes.count))
      damaged[place] ^= UInt8(truncatingIfNeeded: generator.next() | 1)
      try cache.write("stat".bytes, damaged)
      #expect(try shop.save { $0.isDryRun = true }.changes.isEmpty)
      try cache.write("stat".bytes, Array(bytes[..<place]))
      #expect(try shop.save { $0.isDryRun = true }.changes.isEmpty)
    }
    try shop.save("two")
    #expect(try shop.tree("two") == expected)
  }

  @Test func whatAMissingPackHeldIsStoredAgain() throws {
    settle()
    try shop.save("one")
    let packs = shop.storeFolder.folder("packs")
    for name in try packs.names() { try packs.remove(name) }
    let repository = try shop.reopened()
    #expect(try repository.save(SaveOptions(name: "two")).bytesRead == SaveTests.total)
    _ = try repository.save(SaveOptions(name: "one"))
    let before = try shop.state
    try shop.folder.empty()
    _ = try repository.restore("two")
    #expect(try shop.state.differences(from: before) == [])
  }

  @Test func oneMissingPackOfSeveralIsMadeGood() throws {
    settle()
    try shop.save("one")
    let packs = shop.storeFolder.folder("packs")
    let first = try packs.names()
    try shop.folder.write("a/new".bytes, Content.random(50_000, seed: 2))
    settle()
    try shop.save("two")
    let second = try packs.names().filter { !first.contains($0) }
    for name in second { try packs.rename(name, to: "../lost".bytes) }
    let repository = try shop.reopened()
    let after = try shop.state
    // The snapshot at the position is lost, but the folder is not, and the other state is intact.
    _ = try repository.restore("one")
    _ = try repository.restore("@~1")
    #expect(try shop.state.differences(from: after) == [])
    _ = try repository.save(SaveOptions(name: "three"))
    for name in second { try packs.rename("../lost".bytes, to: name) }
    let again = try shop.reopened()
    _ = try again.save(SaveOptions(name: "four"))
    #expect(try again.verify(readData: true).damage == [])
  }
}
