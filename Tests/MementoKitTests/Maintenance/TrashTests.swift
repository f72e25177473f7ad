// Snapshots that lost their name or step can be recovered for a time. gc reports what it keeps and what it removes.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct TrashTests {
  private let shop: RepositoryFixture
  private let clock = TestClock()
  private let repository: Repository

  init() throws {
    shop = try RepositoryFixture()
    var options = RepositoryFixture.quick
    options.clock = clock.read
    repository = try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  private func save(_ content: String, _ name: String? = nil) throws -> SnapshotID {
    try shop.folder.write("file".bytes, content.bytes)
    return try repository.save(SaveOptions(name: name)).snapshot.id
  }

  private func value(_ content: String, _ name: String) throws {
    try repository.saveValues([NamedValue(name: name, bytes: content.bytes)])
  }

  private func told(_ held: [HeldSnapshot]) -> [String] {
    held.map { "\($0.reason) \($0.names.joined(separator: ",")) \($0.age)" }
  }

  /// Does what `run --restore-on-failure -- false` does, and then goes on.
  @Test func anAttemptThatWasTakenBackCanBeHadBack() throws {
    let before = try save("before")
    let attempt = try save("attempt")
    var options = RestoreOptions()
    options.followsTimeline = true
    _ = try repository.restore(Revision(before.description), options)
    _ = try save("next", "next")
    let summary = try repository.collectGarbage()
    #expect(told(summary.held) == ["undone  0"])
    #expect(summary.held.map(\.id) == [attempt])
    #expect(summary.dropped == [])
    _ = try repository.restore(Revision(attempt.description))
    #expect(try shop.folder.read("file".bytes) == "attempt".bytes)
  }

  @Test func eachIsKeptForItsTimeAndThenNamed() throws {
    _ = try save("folder", "folder")
    try value("one", "v")
    try value("two", "v")
    try value(String(repeating: "w", count: 5000), "w")
    _ = try repository.delete(["w"])
    clock.pass(seconds: 7 * 86400)
    try value("three", "v")
    let first = try repository.collectGarbage(isDryRun: true)
    #expect(told(first.held) == ["replaced v 0", "deleted w \(7 * 86400)", "replaced v \(7 * 86400)"])
    #expect(first.held.allSatisfy { $0.bytes > 0 && $0.isWhole })
    #expect(try repository.collectGarbage().held.map(\.id) == first.held.map(\.id))
    for (back, content) in ["three", "two", "one"].enumerated() {
      #expect(try repository.snapshot("v~\(back)").kind == .value, "\(content)")
    }
    clock.pass(seconds: 7 * 86400)
    let plan = try repository.collectGarbage(isDryRun: true)
    let second = try repository.collectGarbage()
    #expect(second.dropped == plan.dropped)
    #expect(Set(second.dropped.map { "\($0.reason) \($0.names)" }) == ["deleted [\"w\"]", "replaced [\"v\"]"])
    #expect(told(second.held) == ["replaced v \(7 * 86400)"])
    #expect(try repository.snapshot("v~1").id == second.held[0].id)
    #expect(code { try repository.snapshot("v~2") } == .noSuchState)
    let third = try repository.collectGarbage(emptyingTrash: true)
    #expect(third.dropped.map(\.id) == [second.held[0].id])
    #expect(try repository.collectGarbage().held == [])
    #expect(try repository.verify(readData: true).damage == [])
    // The trash leaves no trace in `refs`.
    #expect(try !String(decoding: shop.storeFolder.read("refs".bytes), as: UTF8.self).contains("\ntrash"))
  }

  /// Nothing else is written to the store, and the machine starts again each day.
  @Test func garbageCollectionAloneLetsTimePass() throws {
    try value("one", "v")
    _ = try repository.delete(["v"])
    for day in 1...14 {
      clock.pass(seconds: 86400)
      clock.boot()
      #expect(try repository.collectGarbage().held.isEmpty == (day == 14), "\(day)")
    }
  }

  @Test func aClockThatJumpsDropsNothing() throws {
    try value("one", "v")
    _ = try repository.delete(["v"])
    for jump: Int64 in [400 * 86400, -800 * 86400] {
      clock.set(seconds: jump)
      #expect(try repository.collectGarbage().held.count == 1)
      clock.boot()
      #expect(try repository.collectGarbage().held.count == 1)
    }
  }

  @Test func whatHasANameAgainIsNoMatterOfTheTrash() throws {
    try value("one", "v")
    let deleted = try repository.delete(["v"])
    _ = try repository.name(Revision(deleted[0].snapshot), as: "again")
    clock.pass(seconds: 20 * 86400)
    let summary = try repository.collectGarbage()
    #expect(summary.held == [] && summary.dropped == [])
    #expect(try repository.content(ofState: "again") == .value("one".bytes))
  }

  /// gc names the snapshots that it removes, also those that no list names.
  @Test func whatNothingRefersToIsNamed() throws {
    let old = try save("old")
    _ = try save("new", "new")
    _ = try repository.store.refs.update(waiting: 10) { refs in
      if let short = FolderTimeline(steps: [refs.timeline.steps[1]], position: 0) { refs.timeline = short }
    }
    // A store of an earlier version has no trash.
    #expect(
      try repository.store.refs.expire(
        keeping: [], isStored: { _ in true }, holding: try repository.lockAlone(), waiting: 10))
    let summary = try repository.collectGarbage()
    #expect(summary.dropped.map(\.id) == [old])
    #expect(summary.dropped.map(\.reason) == [.unreferenced])
    #expect(summary.held == [])
  }

  /// gc reports damage in the trash and still collects everything else.
  @Test func aDamagedSnapshotInTheTrash() throws {
    _ = try save("kept", "kept")
    let gone = TreeEntry.folder("0 gone", ObjectID(hashing: "gone".bytes))
    let tree = try shop.plant(meta: [RepositoryFixture.tree([gone.encoded, TreeEntry.file("1", []).encoded])])[0]
    try shop.plant(tree: tree, as: "hurt")
    let again = try shop.reopened()
    #expect(code { try again.collectGarbage() } == .damaged)
    _ = try again.delete(["hurt"])
    try again.saveValues([NamedValue(name: "v", bytes: "one".bytes)])
    _ = try again.delete(["v"])
    let summary = try again.collectGarbage()
    #expect(summary.held.map(\.names) == [["v"], ["hurt"]])
    #expect(summary.held.map(\.isWhole) == [true, false])
    let report = try again.verify()
    #expect(report.damage.map(\.states) == [["deleted hurt"]])
    _ = try again.collectGarbage(emptyingTrash: true)
    #expect(try again.verify(readData: true).damage == [])
    _ = try again.restore("kept")
  }

  @Test func aDamagedListIsDamage() throws {
    try repository.saveValues((0..<200).map { NamedValue(name: "v\($0)", bytes: "\($0)".bytes) })
    _ = try repository.delete((0..<200).map { "v\($0)" })
    let name = try #require(try shop.storeFolder.folder("trash").names().first)
    for place in ["trash", "backup"] { try shop.storeFolder.folder(place).write(name, "noise".bytes) }
    #expect(code { try repository.collectGarbage() } == .damaged)
    #expect(try repository.verify().damage.contains { $0.message.contains("trash/") })
    let packs = try shop.storeFolder.folder("packs").names()
    #expect(!packs.isEmpty)
    // Emptying the trash solves it.
    #expect(try repository.collectGarbage(emptyingTrash: true).dropped.count == 200)
    #expect(try repository.verify().damage == [])
  }
}
