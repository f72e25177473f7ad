// gc does what the policy says: by age, by number, by room, and on a disk that is full.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct PolicyTests {
  private static let day: UInt64 = 86400
  private let shop: RepositoryFixture
  private let clock = TestClock()
  private let repository: Repository

  init() throws {
    // Budgets of a few kilobytes are easier to count without parity.
    shop = try RepositoryFixture(parity: false)
    repository = try PolicyTests.open(shop, clock)
  }

  private static func open(_ shop: RepositoryFixture, _ clock: TestClock, config: String = "") throws -> Repository {
    if !config.isEmpty { _ = try shop.configured(config) }
    var options = RepositoryFixture.quick
    options.clock = clock.read
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  /// Content that shares nothing, and does not shrink.
  @discardableResult
  private func save(_ number: Int, _ name: String? = nil, size: Int = 50_000) throws -> SnapshotID {
    try shop.folder.write("file".bytes, Content.random(size, seed: UInt64(number)))
    return try repository.save(SaveOptions(name: name)).snapshot.id
  }

  private func collect(_ change: (inout GarbageOptions) -> Void = { _ in }) throws -> GarbageSummary {
    var options = GarbageOptions()
    change(&options)
    options.isDryRun = true
    let plan = try repository.collectGarbage(options)
    options.isDryRun = false
    let done = try repository.collectGarbage(options)
    #expect(plan.dropped == done.dropped && plan.stepsDropped == done.stepsDropped)
    #expect(plan.held.map(\.id) == done.held.map(\.id) && plan.rewriteThreshold == done.rewriteThreshold)
    #expect(try repository.verify(readData: true).damage == [])
    return done
  }

  private func isThere(_ id: SnapshotID) throws -> Bool { try repository.store.index.contains(id.object) }

  /// A step is dropped when it is old enough, and its snapshot with it. Names and the position stay.
  @Test func oldStepsGoAndUndoEndsThere() throws {
    var ids: [SnapshotID] = []
    for number in 0..<6 {
      ids.append(try save(number, number == 1 ? "named" : nil))
      clock.pass(seconds: PolicyTests.day)
    }
    #expect(try collect().dropped == [])
    let summary = try collect { $0.unnamedAge = 3 * PolicyTests.day }
    #expect(summary.dropped.map(\.id) == [ids[3], ids[2], ids[0]])
    #expect(summary.dropped.allSatisfy { $0.reason == .unnamed && ($0.bytes ?? 0) > 50_000 })
    #expect(summary.stepsDropped == 4 && summary.held == [] && summary.bytesFreed > 150_000)
    #expect(try ids.map(isThere) == [false, true, false, false, true, true])
    _ = try repository.undo()
    #expect(code { try repository.undo() } == .timelineEnd)
    #expect(try repository.content(ofState: "named") != nil)
    #expect(try repository.log().count == 2)
    #expect(try collect { $0.unnamedAge = 3 * PolicyTests.day }.dropped == [])
  }

  @Test func theConfigSaysHowLong() throws {
    let repository = try PolicyTests.open(shop, clock, config: "keep = 2d, 3\ntrash = 1d\n")
    for number in 0..<6 { try save(number) }
    try repository.saveValues([NamedValue(name: "v", bytes: "one".bytes)])
    _ = try repository.delete(["v"])
    #expect(try repository.collectGarbage().dropped == [])
    clock.pass(seconds: PolicyTests.day)
    #expect(try repository.collectGarbage().dropped.map(\.reason) == [.deleted])
    clock.pass(seconds: PolicyTests.day)
    let summary = try repository.collectGarbage()
    #expect(summary.dropped.map(\.reason) == [.unnamed, .unnamed, .unnamed] && summary.stepsDropped == 3)
    clock.pass(seconds: 400 * PolicyTests.day)
    #expect(try repository.collectGarbage().dropped == [])
  }

  /// A step that fell off the timeline is there as long as the policy says, and can be named again.
  @Test func whatFellOffTheTimelineIsKept() throws {
    let first = try save(0)
    let second = try save(1)
    let last = try save(2, "last")
    let steps = FolderTimeline.limit - 2
    _ = try repository.store.refs.update(waiting: 10) { refs in
      for number in 0..<steps {
        refs.timeline.append(
          TimelineStep(operation: .save, time: Timestamp(seconds: Int64(number), nanoseconds: 0), snapshot: last.object)
        )
      }
    }
    try save(3)
    clock.pass(seconds: 29 * PolicyTests.day)
    let held = try collect().held
    #expect(held.map(\.id) == [second, first] && held.allSatisfy { $0.reason == .unnamed && $0.until != nil })
    #expect(held.allSatisfy { $0.bytes > 50_000 && $0.isWhole })
    #expect(try repository.verify().damage == [])
    _ = try repository.name(Revision(first.description), as: "again")
    clock.pass(seconds: PolicyTests.day)
    // They are among the newest that are unnamed.
    #expect(try collect().held.map(\.until) == [nil])
    let summary = try collect { $0.unnamedAge = 0 }
    #expect(summary.dropped.map(\.id) == [second])
    #expect(try isThere(first) && !isThere(second))
  }

  /// The budget goes before age and trash, and not before names and the position.
  @Test func aStoreStaysWithinItsBudget() throws {
    var ids: [SnapshotID] = []
    try save(100, "old")
    for number in 0..<6 {
      ids.append(try save(number))
      clock.pass(seconds: 60)
    }
    try repository.saveValues([NamedValue(name: "v", bytes: Content.random(50_000, seed: 200))])
    _ = try repository.delete(["v"])
    let packs = shop.storeFolder.folder("packs")
    let before = try packs.names().reduce(0) { try $0 + packs.read($1).count }
    try #require(before > 400_000)
    #expect(try collect { $0.budget = RetentionPolicy.Budget(bytes: 1 << 20) }.dropped == [])
    let summary = try collect { $0.budget = RetentionPolicy.Budget(bytes: 300_000) }
    #expect(summary.dropped.allSatisfy { $0.reason == .overBudget } && !summary.dropped.isEmpty)
    #expect(summary.bytesKept <= 300_000 && summary.bytesKept > 200_000)
    let kept = try ids.map(isThere)
    #expect(kept.first == false && kept.last == true)
    // The oldest went: no snapshot is kept behind one that is not.
    #expect(kept == kept.sorted { !$0 && $1 })
    let tight = try collect { $0.budget = RetentionPolicy.Budget(bytes: 1000) }
    #expect(tight.budget == 1000 && tight.bytesKept > 1000 && tight.held == [])
    #expect(try ids.map(isThere) == [false, false, false, false, false, true])
    #expect(try repository.states().map(\.name) == ["old"])
    #expect(code { try repository.undo() } == .timelineEnd)
  }

  /// Packs of which little is not needed are rewritten when the store is too large otherwise.
  @Test func theBudgetLowersTheThreshold() throws {
    try shop.folder.write("large".bytes, Content.random(950_000, seed: 1))
    try save(0)
    clock.pass(seconds: 60)
    try save(1, "one")
    let easy = try collect { $0.unnamedAge = 0 }
    #expect(easy.rewriteThreshold == 20 && easy.packsRewritten == 0 && easy.space.unneeded > 40_000)
    let tight = try collect { $0.budget = RetentionPolicy.Budget(bytes: 1_050_000) }
    #expect(tight.rewriteThreshold == 5 && tight.packsRewritten == 1 && tight.bytesKept < 1_050_000)
    // Only the record of what the first gc dropped is in the pack that is rewritten.
    #expect(tight.dropped.allSatisfy { $0.reason == .unreferenced } && tight.space.unneeded == 0)
  }

  @Test func whatKeepsTheSpaceIsSaid() throws {
    try save(0)
    try save(1, "one")
    try repository.saveValues([NamedValue(name: "v", bytes: Content.random(50_000, seed: 2))])
    _ = try repository.delete(["v"])
    let summary = try collect()
    #expect(summary.bytesFreed == 0 && summary.space.unneeded < 2000)
    for bytes in [summary.space.named, summary.space.unnamed, summary.space.trash] {
      #expect((50_000..<53_000).contains(bytes), "\(summary.space)")
    }
  }

  // MARK: Obstacles

  /// Packs that are dead go, although nothing can be written. What is in the others stays.
  @Test func aFullDiskIsNoObstacleForDeadPacks() throws {
    let packs = MemoryPacks()
    let refs = MemoryRefs()
    let before = try StorageSeamTests.open(shop, packs, refs)
    try before.store.refs.create()
    let sparse = [NamedValue(name: "a", bytes: Content.random(90_000, seed: 1)), NamedValue(name: "b", bytes: [1, 2])]
    _ = try before.saveValues(sparse)
    _ = try before.saveValues([NamedValue(name: "dead", bytes: Content.random(80_000, seed: 3))])
    _ = try before.delete(["a", "dead"])
    let full = try StorageSeamTests.open(shop, FullPacks(packs), refs)
    let summary = try full.collectGarbage(emptyingTrash: true)
    #expect([summary.packsRemoved, summary.packsRewritten, summary.packsNotRewritten] == [1, 0, 1])
    #expect(summary.bytesFreed > 80_000 && summary.bytesFreed < 90_000)
    #expect(packs.count == 1 && summary.bytesKept == UInt64(packs.bytes))
    let after = try StorageSeamTests.open(shop, packs, refs)
    #expect(try after.content(ofState: "b") == .value([1, 2]))
    #expect(try after.collectGarbage(emptyingTrash: true).packsRewritten == 1)
    #expect(packs.bytes < 10_000)
    #expect(try after.verify(readData: true).damage == [])
  }

  /// Versions stay where they are while there is no room for a copy of them.
  @Test func aFullDiskLeavesVersionsWhereTheyAre() throws {
    let packs = MemoryPacks()
    let refs = MemoryRefs()
    let before = try StorageSeamTests.open(shop, packs, refs)
    try before.store.refs.create()
    try shop.saveVersions(in: before)
    let bytes = packs.bytes
    for limit in [nil, 3600 as UInt64] {
      var options = GarbageOptions()
      options.timeLimit = limit
      let full = try StorageSeamTests.open(shop, FullPacks(packs), refs)
      let summary = try full.collectGarbage(options)
      #expect(summary.packsNotRewritten > 0 && summary.packsRewritten == 0 && summary.versionsSorted == 0)
      #expect(packs.bytes == bytes)
    }
    let after = try StorageSeamTests.open(shop, packs, refs)
    #expect(try after.collectGarbage().versionsSorted > 0)
    #expect(packs.bytes * 2 < bytes)
    #expect(try after.verify(readData: true).damage == [])
  }

  /// From some moment on the medium gives nothing of the pack that holds what the trash keeps. That does not say that it
  /// is damaged: it stays, and all that is below it.
  @Test func whatCannotBeReadIsNotDamaged() throws {
    let packs = MemoryPacks()
    let refs = MemoryRefs()
    let first = try StorageSeamTests.open(shop, packs, refs)
    try first.store.refs.create()
    try shop.write("d/a", "d/b", "e/c")
    let kept = try first.save(SaveOptions(name: "kept")).snapshot.id
    let old = Set(try packs.list(withSizes: false).map(\.id))
    try shop.write("f")
    _ = try first.save(SaveOptions(name: "now"))
    _ = try first.delete(["kept"])
    _ = try first.store.refs.update(waiting: 0) { refs in
      if let last = refs.timeline.steps.last, let short = FolderTimeline(steps: [last], position: 0) {
        refs.timeline = short
      }
    }
    var opening = 0
    var isDone = false
    var hasRefused = false
    while !isDone {
      opening += 1
      let limit = opening
      let copies = (packs: packs.copy(), refs: refs.copy())
      let failing = FailingPacks(copies.packs, .input) { number, pack in number >= limit && old.contains(pack) }
      let end = code { try StorageSeamTests.open(shop, failing, copies.refs).collectGarbage() }
      isDone = failing.failures == 0
      if isDone { #expect(end == nil) }
      hasRefused = hasRefused || end != nil
      let after = try StorageSeamTests.open(shop, copies.packs, copies.refs)
      _ = try after.name(Revision(kept.description), as: "back")
      #expect(try after.verify(readData: true).damage == [], "opening \(limit)")
    }
    #expect(opening > 2 && hasRefused)
  }
}

/// Packs of another storage, on a disk that is full.
private final class FullPacks: PackStorage {
  private let base: MemoryPacks

  init(_ base: MemoryPacks) {
    self.base = base
  }

  func put(_ file: consuming TemporaryFile, as pack: ObjectID, isFlushed: Bool) throws(StoreError) {
    throw .system(operation: "write", path: "packs/", .noSpace)
  }

  func modified() -> Timestamp? { base.modified() }
  func list(withSizes: Bool) throws(StoreError) -> [ListedPack] { try base.list(withSizes: withSizes) }
  func size(of pack: ObjectID) throws(StoreError) -> UInt64 { try base.size(of: pack) }
  func open(_ pack: ObjectID) throws(StoreError) -> PackReader { try base.open(pack) }
  func remove(_ packs: [ObjectID]) throws(StoreError) { try base.remove(packs) }
  func setAside(_ packs: [ObjectID]) throws(StoreError) { try base.setAside(packs) }
  func flush() throws(StoreError) {}
}
