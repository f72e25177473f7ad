import MementoStore
import TestSupport
import Testing

@testable import MementoKit

struct PruneTests {
  private func shop(_ names: [String]) throws -> RepositoryFixture {
    let shop = try RepositoryFixture()
    for name in names {
      try shop.folder.write("a".bytes, name.bytes)
      try shop.save(name)
    }
    return shop
  }

  private func options(last: Int) -> PruneOptions {
    var policy = PrunePolicy()
    policy.last = last
    return PruneOptions(policy)
  }

  @Test func namesGoInOneCommit() throws {
    let shop = try shop(["a", "b", "c", "d"])
    let generation = try shop.repository.readRefs().generation
    var plan = options(last: 1)
    plan.isDryRun = true
    #expect(try shop.repository.prune(plan).removed.map(\.name) == ["c", "b", "a"])
    #expect(try shop.repository.readRefs().generation == generation)
    let done = try shop.repository.prune(options(last: 1))
    #expect(done.isCommitted && done.kept.map(\.name) == ["d"] && done.kept[0].reasons == ["last"])
    #expect(done.removed.map(\.name) == ["c", "b", "a"])
    #expect(try shop.repository.readRefs().generation == generation + 1)
    #expect(try shop.repository.stateNames().keys.sorted() == ["d"])
    // They are in the trash, as after a delete.
    #expect(try shop.repository.log(all()).contains { $0.marks.contains(.deleted) })
    #expect(try shop.repository.prune(options(last: 1)).removed.isEmpty)
    #expect(try shop.repository.readRefs().generation == generation + 1)
  }

  /// Values and folders are counted apart.
  @Test func aValueDoesNotPushOutTheLastFolder() throws {
    let shop = try shop(["a", "b"])
    try shop.repository.saveValues([
      NamedValue(name: "v", bytes: "1".bytes), NamedValue(name: "w", bytes: "2".bytes),
    ])
    let done = try shop.repository.prune(options(last: 1))
    #expect(done.kept.map(\.reasons) == [["last"], ["last"]])
    #expect(done.kept.count { $0.name == "b" } == 1 && done.removed.contains { $0.name == "a" })
  }

  private func all() -> LogOptions {
    var options = LogOptions()
    options.showsAll = true
    return options
  }

  @Test func notAllGoWithoutLeave() throws {
    let shop = try shop(["a", "b"])
    #expect(code { try shop.repository.prune(options(last: 0)) } == .wouldRemoveAll)
    var some = options(last: 0)
    some.names = ["a"]
    #expect(code { try shop.repository.prune(some) } == .wouldRemoveAll)
    #expect(try shop.repository.stateNames().count == 2)
    some.allowsEmpty = true
    #expect(try shop.repository.prune(some).removed.map(\.name) == ["a"])
    #expect(try shop.repository.stateNames().keys.sorted() == ["b"])
    var bad = PruneOptions()
    bad.policy.within = "soon"
    #expect(code { try shop.repository.prune(bad) } == .invalidArgument)
    some.names = []
    #expect(try shop.repository.prune(some) == PruneSummary(isCommitted: true))
  }

  /// Nobody knows how old it is.
  @Test func whatCannotBeReadIsKept() throws {
    let shop = try shop(["a", "b", "c"])
    let lost = ObjectID(hashing: "lost".bytes)
    let lock = try shop.repository.lockForNaming()
    try shop.repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in refs["gone"] = lost }
    let done = try shop.repository.prune(options(last: 1))
    #expect(done.kept.map(\.name) == ["c", "gone"] && done.removed.map(\.name) == ["b", "a"])
    #expect(done.kept[1].time == nil && done.kept[1].reasons == ["it cannot be read"])
  }
}
