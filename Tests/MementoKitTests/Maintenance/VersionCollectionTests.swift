// gc on a history of many versions: it takes little, every state comes back, and time may run out.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct VersionCollectionTests {
  private let shop: RepositoryFixture
  private let packs: FolderTools
  private let count = 16

  init() throws {
    shop = try RepositoryFixture(parity: false)
    packs = shop.storeFolder.folder("packs")
  }

  /// Saves versions of two files that differ in a few bytes. Returns the folder as it was at each state.
  private func saveVersions() throws -> [Manifest] {
    try shop.folder.makeFolder("d".bytes)
    // Half of it is news to any codec.
    var texts = (0..<2).map { Content.random(50_000, seed: UInt64($0)).flatMap { "\($0 >> 4) \($0 & 15)".bytes } }
    var states: [Manifest] = []
    for number in 0..<count {
      for (file, name) in ["d/one.c", "two.h"].enumerated() {
        texts[file][number * 500] ^= 1
        try shop.folder.write(name.bytes, texts[file])
      }
      try shop.save("v\(number)")
      states.append(try shop.state)
    }
    return states
  }

  private func size() throws -> Int { try packs.names().reduce(0) { try $0 + packs.read($1).count } }

  private func check(_ states: [Manifest], _ round: String) throws {
    for (number, state) in states.enumerated() {
      let (folder, _) = try shop.extract("v\(number)", to: "\(round)-\(number)")
      #expect(try Manifest(folder).differences(from: state) == [], "\(round) \(number)")
    }
    #expect(try shop.reopened().verify(readData: true).damage == [])
  }

  private func collect(_ change: (inout GarbageOptions) -> Void = { _ in }) throws -> GarbageSummary {
    var options = GarbageOptions()
    change(&options)
    return try shop.reopened().collectGarbage(options)
  }

  @Test func aHistoryTakesLittle() throws {
    let states = try saveVersions()
    let before = try size()
    let plan = try collect { $0.isDryRun = true }
    #expect(try size() == before)
    let done = try collect()
    #expect(done.versionsSorted > count && done.versionsSorted == plan.versionsSorted)
    #expect(done.packsRewritten == plan.packsRewritten && done.packsPostponed == 0)
    #expect(try size() * 2 < before)
    try check(states, "sorted")
    let again = try collect()
    #expect([again.packsRewritten, again.versionsSorted, again.packsRemoved] == [0, 0, 0])
    // What the position needs lies in blocks of its own.
    let store = try shop.reopened().store
    let newest = try #require(try store.index.place(of: try shop.record("v\(count - 1)").tree ?? .zero))
    let contents = try store.index.contents(of: store.index.packID(newest.pack)).contents
    #expect(contents.blocks.allSatisfy { $0.arrangement != .versions })
  }

  /// Without time only what nobody needs goes. The next gc does the rest.
  @Test func timeMayRunOut() throws {
    let states = try saveVersions()
    let before = try size()
    let none = try collect { $0.timeLimit = 0 }
    #expect(none.packsPostponed > 0 && none.packsRewritten == 0 && none.versionsSorted == 0)
    #expect(try size() == before)
    try check(states, "postponed")
    let done = try collect { $0.timeLimit = 3600 }
    #expect(done.packsPostponed == 0 && done.versionsSorted > count)
    #expect(try size() * 2 < before)
    try check(states, "done")
  }

  /// What is newest is compressed anew only when that is asked for, and once.
  @Test func whatIsNewCanBeCompressedAnew() throws {
    try shop.folder.write("text".bytes, Content.text(900_000, seed: 1))
    try shop.save("one")
    let state = try shop.state
    let before = try size()
    #expect(try collect().packsRewritten == 0)
    #expect(try collect { $0.recompresses = true }.packsRewritten == 1)
    #expect(try size() < before)
    #expect(try collect { $0.recompresses = true }.packsRewritten == 0)
    try shop.folder.empty()
    _ = try shop.reopened().restore("one")
    #expect(try shop.state.differences(from: state) == [])
  }

  /// A gc that fails at any look at a pack has lost nothing.
  @Test func readsThatFailLoseNothing() throws {
    let packs = MemoryPacks()
    let refs = MemoryRefs()
    let repository = try StorageSeamTests.open(shop, packs, refs)
    try repository.store.refs.create()
    try shop.saveVersions(in: repository)
    var failed = 1
    while true {
      let copies = (packs: packs.copy(), refs: refs.copy())
      let number = failed
      let failing = FailingPacks(copies.packs, .input) { opening, _ in opening == number }
      let end = code { try StorageSeamTests.open(shop, failing, copies.refs).collectGarbage() }
      let after = try StorageSeamTests.open(shop, copies.packs, copies.refs)
      #expect(try after.verify(readData: true).damage == [], "opening \(number)")
      if failing.failures == 0 {
        #expect(end == nil)
        #expect(copies.packs.bytes * 2 < packs.bytes)
        break
      }
      failed += 3
    }
    #expect(failed > 3)
  }
}
