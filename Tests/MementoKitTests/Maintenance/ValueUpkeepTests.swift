// Saves of values through the library tidy up as those of a folder do, also while others use the same repository.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct ValueUpkeepTests {
  private let shop: RepositoryFixture
  private let ticks = SaveTicks()

  init() throws {
    shop = try RepositoryFixture()
  }

  /// `clock`: nil for that of the fixture, which gives each command much time.
  private func open(_ config: String = "", clock: (@Sendable () -> UInt64)? = nil) throws -> Repository {
    if !config.isEmpty {
      try shop.storeFolder.write("config".bytes, try shop.storeFolder.read("config".bytes) + config.bytes)
    }
    ticks.begin()
    var options = RepositoryFixture.quick
    options.isDurable = true
    options.upkeepClock = clock ?? ticks.read
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  private var packs: Int { get throws { try shop.storeFolder.folder("packs").names().count } }

  private func value(_ number: Int) -> NamedValue { NamedValue(name: "v\(number)", bytes: "value \(number)".bytes) }

  private func expectValues(_ numbers: Range<Int>, in repository: Repository) throws {
    for number in numbers {
      #expect(try repository.content(ofState: "v\(number)") == .value("value \(number)".bytes))
    }
  }

  @Test func packsStayFew() throws {
    for number in 0..<60 { try open().saveValues([value(number)]) }
    #expect(try packs < 25)
    let again = try shop.reopened()
    try expectValues(0..<60, in: again)
    #expect(try again.verify(readData: true).damage == [])
  }

  /// The same repository saves all of them, and reads what it has merged itself.
  @Test func oneOpenRepository() throws {
    let repository = try open()
    for number in 0..<80 {
      ticks.begin()
      try repository.saveValues([value(number)], deleting: number % 10 == 9 ? ["v\(number - 9)"] : [])
      if number % 10 == 5 { try expectValues(number - 4..<number + 1, in: repository) }
    }
    #expect(try packs < 40)
    try expectValues(71..<80, in: repository)
    #expect(try repository.stateNames().count == 72)
    #expect(try shop.reopened().verify(readData: true).damage == [])
  }

  @Test(arguments: ["auto-gc = false\n", ""]) func itCanBeTurnedOff(_ config: String) throws {
    if config.isEmpty { ticks.set(save: 0, step: 1) }
    for number in 0..<30 { try open(number == 0 ? config : "").saveValues([value(number)]) }
    #expect(try packs == 30)
  }

  /// A short save has no time to open each of many packs, and it would do so after each save.
  @Test(arguments: [0, 3]) func noPackIsOpenedForWhichThereIsNoTime(_ most: Int) throws {
    let (packs, refs) = (MemoryPacks(), MemoryRefs())
    let opened = Mutex(0)
    let counting = FailingPacks(packs, .noSpace) { number, _ in
      opened.withLock { $0 = number }
      return false
    }
    let repository = try StorageSeamTests.open(shop, counting, refs)
    try repository.store.refs.create()
    for number in 0..<40 { _ = try repository.saveValues([value(number)]) }
    let merge = PackMerge(repository.store)
    let small = merge.packs(copyingAtMost: 1 << 20)
    #expect(small.count == 40)
    let before = opened.withLock { $0 }
    var left = most
    let merged = try merge.run(
      small, holding: repository.store.locks.take(RemovesPacks.self, upgrading: false, waiting: 0),
      while: {
        left -= 1
        return left >= 0
      }, note: { _, _ in })
    #expect(merged == most)
    // Each is opened to read its table, and once more for its blobs; what was written is read back.
    #expect(opened.withLock { $0 } - before <= 4 * most)
  }

  /// What the folder has left behind goes with saves of values, too.
  @Test func whatExpiredLeaves() throws {
    var repository = try open("keep = 0s, 3\nauto-gc = false\n")
    for number in 0..<40 {
      try shop.folder.write("file".bytes, Content.random(2000, seed: UInt64(number)))
      try repository.save()
    }
    repository = try open("auto-gc = true\n")
    for number in 0..<40 { try open().saveValues([value(number)]) }
    // How much a piece does depends on how the threads of a save take turns.
    for number in 40..<2000 where try shop.reopened().log().count >= 20 { try open().saveValues([value(number)]) }
    let again = try shop.reopened()
    #expect(try again.log().count < 20)
    try expectValues(0..<40, in: again)
    #expect(try again.verify(readData: true).damage == [])
  }

  /// Several threads save and read through one repository, while their saves merge packs and drop what expired.
  @Test func manyThreads() async throws {
    // Now and then a save has much time.
    let readings = Atomic<UInt64>(0)
    let time = Atomic<UInt64>(0)
    let repository = try open("keep = 0s, 1\n") {
      let number = readings.add(1, ordering: .relaxed).newValue
      let step: UInt64 = (number &* 0x9e37_79b9_7f4a_7c15) >> 61 == 0 ? 1_000_000_000 : 1
      return time.add(step, ordering: .relaxed).newValue
    }
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          do {
            for number in thread * 100..<thread * 100 + 50 {
              try repository.saveValues([value(number)])
              #expect(try repository.content(ofState: "v\(number)") == .value("value \(number)".bytes))
              let earlier = thread * 100 + (number - thread * 100) / 2
              #expect(try repository.content(ofState: "v\(earlier)") == .value("value \(earlier)".bytes))
            }
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    for thread in 0..<4 { try expectValues(thread * 100..<thread * 100 + 50, in: repository) }
    // How much the threads merged depends on their turns. What they left is merged by saves that have time.
    for number in 1000..<1020 { try open().saveValues([value(number)]) }
    #expect(try packs < 40)
    #expect(try shop.reopened().verify(readData: true).damage == [])
  }
}
