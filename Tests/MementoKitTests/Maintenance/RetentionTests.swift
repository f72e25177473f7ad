// What gc keeps of a history, by age, number and room. No store, no clock but that of the test.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RetentionTests {
  private static let day: UInt64 = 86400
  private let file: RefsFile
  private let shop: RepositoryFixture
  private let clock = TestClock()

  init() throws {
    shop = try RepositoryFixture()
    file = RefsFile(shop.repository.store.folder, clock: clock.read)
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  private func step(_ number: Int) -> TimelineStep {
    TimelineStep(operation: .save, time: Timestamp(seconds: Int64(number), nanoseconds: 0), snapshot: id(number))
  }

  private func change(_ body: (inout Refs) -> Void) throws { _ = try file.update(waiting: 10) { body(&$0) } }

  /// A step a day, the newest today.
  private func days(_ numbers: Range<Int>) throws {
    for number in numbers {
      clock.pass(seconds: RetentionTests.day)
      try change { $0.timeline.append(step(number)) }
    }
  }

  private func retention(_ keep: String, trash: UInt64? = 14 * day) throws -> Retention {
    let refs = try file.read()
    let keep = try #require(RetentionPolicy.Keep(keep))
    return Retention(
      refs, try file.trash(refs), Retention.Rules(keep: keep, trash: trash), now: file.clock(refs))
  }

  private func numbers(_ items: [Retention.Item]) -> [Int] {
    let known = Dictionary(uniqueKeysWithValues: (0..<3000).map { (id($0), $0) })
    return items.map { known[$0.snapshot] ?? -1 }
  }

  /// The same rules for the steps of all folders: each keeps its position, and has no gaps.
  @Test func stepsOfForks() throws {
    try days(0..<4)
    let fork = try #require(ForkID("0123abcd"))
    for number in 10..<14 {
      clock.pass(seconds: RetentionTests.day)
      try change { refs in
        if refs[fork: fork] == nil { refs.forks.append(ForkedFolder(fork, at: "/f".bytes)) }
        _ = refs.exchange(with: fork)
        refs.timeline.append(step(number))
        _ = refs.exchange(with: fork)
      }
    }
    // 13 is the position of the fork, and today's. 3 is the position of the folder, and four days old.
    let young = try retention("2d, 0")
    #expect(young.fixed == [id(3), id(13)] && numbers(young.kept) == [12])
    #expect(numbers(young.dropped) == [11, 10, 2, 1, 0])
    let steps = young.expired.steps(of: try file.read())
    #expect(steps.own.map(\.snapshot) == [0, 1, 2].map(id) && steps.forks[fork]?.map(\.snapshot) == [10, 11].map(id))
    #expect(young.expired.own == 3 && young.expired.count == 5 && steps.all.count == 5)
    // The newest of all count: 13, 12, 11, 10, 3, 2.
    var some = try retention("0s, 6")
    #expect(numbers(some.kept) == [12, 11, 10, 2] && some.expired.count == 2)
    some.limit(to: 2)
    #expect(numbers(some.kept) == [12, 11] && some.expired.own == 3 && some.expired.count == 4)
  }

  @Test func whatIsYoungStaysAndSoManyOfTheNewest() throws {
    try days(0..<10)
    // Step 9 is the position. Step 8 is a day old, step 6 three days.
    let young = try retention("3d, 0")
    #expect(young.fixed == [id(9)] && numbers(young.kept) == [8, 7] && young.expired.own == 7)
    #expect(numbers(young.dropped) == [6, 5, 4, 3, 2, 1, 0])
    #expect(
      young.kept.map { $0.steps[0] } == [8, 7] && young.dropped.allSatisfy { $0.steps.isEmpty && $0.reason == .unnamed }
    )
    #expect(young.kept.map(\.timeLeft) == [2 * RetentionTests.day, RetentionTests.day])
    #expect(young.dropped.first?.age == 3 * RetentionTests.day)
    let newest = try retention("0s, 4")
    #expect(numbers(newest.kept) == [8, 7, 6] && newest.expired.own == 6)
    #expect(newest.kept.allSatisfy { $0.timeLeft == nil })
    #expect(try numbers(retention("3d, 7").kept) == [8, 7, 6, 5, 4, 3])
    #expect(try numbers(retention("100d, 0").dropped) == [])
    let nothing = try retention("0s, 0")
    #expect(numbers(nothing.kept) == [] && nothing.expired.own == 9)
  }

  /// What has a name stays, and takes nobody's place among the newest.
  @Test func namesDoNotCount() throws {
    try days(0..<10)
    try change {
      $0["a"] = id(7)
      $0["b"] = id(8)
      $0["old"] = id(0)
    }
    let kept = try retention("0s, 3")
    #expect(kept.fixed == [id(0), id(7), id(8), id(9)])
    #expect(numbers(kept.kept) == [6, 5] && numbers(kept.dropped) == [4, 3, 2, 1] && kept.expired.own == 5)
  }

  /// The position may be anywhere. What redo leads to stays with it.
  @Test func thePositionStaysWithWhatFollows() throws {
    try days(0..<10)
    try change { _ = $0.timeline.move(to: 4) }
    let kept = try retention("0s, 0")
    #expect(kept.fixed == Set((4..<10).map(id)) && kept.expired.own == 4)
    #expect(numbers(kept.dropped) == [3, 2, 1, 0])
  }

  /// The same snapshot at two steps is one.
  @Test func aSnapshotThatCameAgainIsAsYoungAsItsNewestStep() throws {
    try days(0..<4)
    clock.pass(seconds: RetentionTests.day)
    try change { $0.timeline.append(step(1)) }
    try days(4..<5)
    let kept = try retention("2d, 0")
    #expect(numbers(kept.kept) == [1] && numbers(kept.dropped) == [3, 2, 0] && kept.expired.own == 4)
  }

  @Test func whatFellOffTheTimelineCountsFromItsStep() throws {
    try change { refs in for number in 0..<5 { refs.timeline.append(step(number)) } }
    clock.pass(seconds: 20 * RetentionTests.day)
    try change { refs in for number in 5..<1002 { refs.timeline.append(step(number)) } }
    clock.pass(seconds: 5 * RetentionTests.day)
    try change { refs in for number in 1002..<1010 { refs.timeline.append(step(number)) } }
    // 0 to 9 fell off, 5 to 9 are five days old.
    let kept = try retention("20d, 200")
    #expect(numbers(kept.kept).suffix(5) == [9, 8, 7, 6, 5] && numbers(kept.dropped) == [4, 3, 2, 1, 0])
    #expect(kept.expired.own == 0 && kept.entries.map(\.snapshot) == (5..<10).map(id))
    let all = try retention("20d, 1007")
    #expect(numbers(all.dropped) == [2, 1, 0])
    #expect(all.kept.suffix(2).map(\.timeLeft) == [nil, nil])
    // Emptying the trash is not about them.
    #expect(try retention("20d, 200", trash: nil).entries == kept.entries)
  }

  @Test func theTrashHasATimeOfItsOwn() throws {
    try change {
      $0["v"] = id(1)
      $0["w"] = id(2)
      $0.timeline.append(step(0))
    }
    try change { $0["v"] = nil }
    clock.pass(seconds: 3 * RetentionTests.day)
    try change { $0["w"] = id(3) }
    let kept = try retention("0s, 0", trash: 3 * RetentionTests.day)
    #expect(kept.kept.map(\.names) == [["w"]] && kept.kept.map(\.reason) == [.replaced])
    #expect(kept.dropped.map(\.names) == [["v"]] && kept.dropped.map(\.reason) == [.deleted])
    #expect(kept.entries.map(\.name) == ["w"])
    #expect(try retention("0s, 0", trash: nil).kept.isEmpty)
  }

  /// Without room, the oldest go, whatever would keep them.
  @Test func theOldestHaveNoRoom() throws {
    try days(0..<4)
    try change { $0["v"] = id(20) }
    clock.pass(seconds: RetentionTests.day)
    try change { $0["v"] = nil }
    try days(4..<7)
    var kept = try retention("30d, 200")
    #expect(numbers(kept.kept) == [5, 4, 20, 3, 2, 1, 0])
    kept.limit(to: 2)
    #expect(numbers(kept.kept) == [5, 4] && numbers(kept.dropped) == [20, 3, 2, 1, 0])
    #expect(kept.dropped.allSatisfy { $0.reason == .overBudget } && kept.entries == [] && kept.expired.own == 4)
    kept.limit(to: 5)
    #expect(numbers(kept.kept) == [5, 4])
  }

  /// A clock that jumps makes nothing older.
  @Test func aWrongClockDropsNothing() throws {
    try days(0..<3)
    clock.set(seconds: 400 * 86400)
    #expect(try numbers(retention("3d, 0").kept) == [1, 0])
    clock.boot()
    try change { $0["x"] = id(9) }
    #expect(try numbers(retention("3d, 0").kept) == [1])
    clock.set(seconds: -800 * 86400)
    #expect(try numbers(retention("3d, 0").kept) == [1])
  }
}
