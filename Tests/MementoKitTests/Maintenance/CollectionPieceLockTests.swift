// A piece of a collection whose lock is taken away keeps nobody out any more: it ends, and what it has found is not used.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct CollectionPieceLockTests {
  private let shop: RepositoryFixture
  private let ticks = SaveTicks()

  init() throws {
    shop = try RepositoryFixture()
    let config = try shop.storeFolder.read("config".bytes)
    try shop.storeFolder.write("config".bytes, config + "keep = 0s, 5\n".bytes)
  }

  /// Saves, as a process of its own would. `steals`: whether the lock of the packs goes while a piece works, each time that
  /// it looks at the clock.
  private func save(_ number: Int, steals: Bool = false) throws {
    try shop.folder.write("file".bytes, Content.random(3000, seed: UInt64(number)))
    ticks.begin()
    let readings = Counter()
    let (ticks, store) = (ticks, shop.storeFolder)
    var options = RepositoryFixture.quick
    options.isDurable = true
    options.lockWait = 0
    options.upkeepClock = {
      // The first two readings are of the save itself.
      if readings.next() > 2, steals { try? store.remove("packs.lock".bytes) }
      return ticks.read()
    }
    _ = try Repository.find(from: BytePath(shop.folder.path), options: options).save(SaveOptions())
  }

  private func phase() throws -> SpreadCollection.Phase? {
    guard try shop.storeFolder.folder("cache").names().contains("mark".bytes) else { return nil }
    return SpreadCollection(try shop.storeFolder.read("cache/mark".bytes))?.header.phase
  }

  private func steps() throws -> Int { try shop.reopened().readRefs().timeline.steps.count }

  @Test(arguments: [SpreadCollection.Phase.marking, .marked]) func itEnds(_ wanted: SpreadCollection.Phase) throws {
    // Each piece marks little.
    ticks.set(save: 1_000_000, step: 100_000)
    var number = 0
    while try phase() != wanted {
      try save(number)
      number += 1
      try #require(number < 300)
    }
    let before = try steps()
    while try phase() == wanted {
      try save(number, steals: true)
      number += 1
      try #require(number < 300)
    }
    // It has begun nothing else, and dropped nothing.
    #expect(try phase() == .idle)
    #expect(try steps() == before + 1)
    #expect(try shop.reopened().verify(readData: true).damage == [])
  }
}
