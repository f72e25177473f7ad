import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct PurgeDeletionTests {
  private func shop() throws -> RepositoryFixture {
    let shop = try RepositoryFixture()
    for (name, seed) in [("one", 1), ("two", 2), ("three", 3)] as [(String, UInt64)] {
      try shop.folder.write("x".bytes, Content.random(100_000, seed: seed))
      try shop.save(name)
    }
    return shop
  }

  @Test func spaceIsFreedAtOnce() throws {
    let shop = try shop()
    let before = try shop.repository.statistics().packBytes
    let plan = try shop.repository.purge(["two"], isDryRun: true)
    #expect(plan.garbage == nil && plan.stepsRemoved == 1 && plan.bytesFreed > 100_000)
    #expect(try shop.repository.stateNames().count == 3)
    let done = try shop.repository.purge(["two"])
    #expect(done.deleted.map(\.name) == ["two"] && done.stepsRemoved == 1 && done.bytesFreed > 90_000)
    #expect(try shop.reopened().statistics().packBytes < before - 90_000)
    #expect(code { try shop.reopened().snapshot(Revision(done.deleted[0].snapshot)) } == .noSuchState)
    // The others are as they were, and the folder is where it was.
    #expect(try shop.repository.stateNames().keys.sorted() == ["one", "three"])
    #expect(try shop.repository.status().changes.isEmpty)
    try shop.repository.undo()
    #expect(try shop.folder.read("x".bytes) == Content.random(100_000, seed: 1))
    #expect(try shop.repository.verify(readData: true).damage.isEmpty)
  }

  @Test func whatIsInUseStays() throws {
    let shop = try shop()
    try shop.repository.name("one", as: "same")
    let done = try shop.repository.purge(["one", "three", "one"])
    #expect(done.deleted.map(\.name) == ["one", "three"] && done.stepsRemoved == 0)
    #expect(done.deleted[0].otherNames == ["same"] && done.deleted[1].isCurrent)
    #expect(try shop.repository.stateNames().keys.sorted() == ["same", "two"])
    #expect(try shop.repository.verify().damage.isEmpty)
    #expect(try shop.repository.status().changes.isEmpty)
    #expect(code { try shop.repository.purge(["two", "none"]) } == .noSuchState)
    #expect(try shop.repository.stateNames().count == 2)
  }

  /// A step that changed only some paths says nothing about the step that stands before it now.
  @Test func stepsOfPathsBecomeStepsOfTheWholeFolder() throws {
    let ids = (0..<4).map { ObjectID(hashing: [UInt8($0)]) }
    var timeline = FolderTimeline()
    for (number, id) in ids.enumerated() {
      timeline.append(
        TimelineStep(
          operation: .save, time: Timestamp(seconds: Int64(number), nanoseconds: 0), snapshot: id,
          paths: number == 2 ? ["p".bytes] : []))
    }
    var shorter = timeline
    shorter.remove([ids[1]])
    #expect(shorter.steps.map(\.snapshot) == [ids[0], ids[2], ids[3]] && shorter.position == 2)
    #expect(shorter.steps.allSatisfy { $0.paths.isEmpty })
    // The current step stays.
    shorter = timeline
    shorter.remove(Set(ids))
    #expect(shorter.steps.map(\.snapshot) == [ids[3]] && shorter.position == 0)
    _ = timeline.move(to: 1)
    timeline.remove([ids[0], ids[3]])
    #expect(timeline.steps.map(\.snapshot) == [ids[1], ids[2]] && timeline.position == 0)
    #expect(timeline.steps[1].paths == ["p".bytes])
    var empty = FolderTimeline()
    empty.remove([ids[0]])
    #expect(empty == FolderTimeline())
  }
}
