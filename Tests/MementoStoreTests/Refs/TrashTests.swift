// Snapshots that lose their name or their step go to the trash, in the same commit. Time passes there as the store sees
// it.

import MementoStore
import MementoSystem
import TestSupport
import Testing

struct TrashTests {
  private let fixture: StoreFixture
  private let clock = TestClock()
  private let file: RefsFile

  init() throws {
    fixture = try StoreFixture()
    file = RefsFile(try fixture.folder(), clock: clock.read)
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  @discardableResult
  private func change(_ body: (inout Refs) -> Void) throws -> Refs {
    try file.update(waiting: 10) { body(&$0) }.refs
  }

  /// The entries as `REASON NAME NUMBER`, oldest first.
  private func told() throws -> [String] {
    let numbers = Dictionary(uniqueKeysWithValues: (0..<2000).map { (id($0), $0) })
    return try RefsFile(fixture.folder(), clock: clock.read).trash(file.read()).map {
      "\($0.reason.rawValue) \($0.name ?? "-") \(numbers[$0.snapshot] ?? -1)"
    }
  }

  private func firstLine() throws -> String {
    String(decoding: try fixture.directory.read("refs").prefix { $0 != 0x0a }, as: UTF8.self)
  }

  private func step(_ number: Int) -> TimelineStep {
    TimelineStep(operation: .save, time: Timestamp(seconds: Int64(number), nanoseconds: 0), snapshot: id(number))
  }

  // MARK: What comes there

  @Test func whatLosesItsNameComesThere() throws {
    try change { for number in 0..<4 { $0["n\(number)"] = id(number) } }
    #expect(try firstLine() == "memento refs 1")
    try change { $0["n1"] = id(10) }
    #expect(try firstLine() == "memento refs 3")
    try change {
      $0["n2"] = nil
      $0["n 3 é"] = id(3)
      $0["n3"] = nil
    }
    #expect(try told() == ["replaced n1 1", "deleted n2 2"])
    try change { $0["n 3 é"] = nil }
    #expect(try told() == ["replaced n1 1", "deleted n2 2", "deleted n 3 é 3"])
    // A name that is set and deleted again is there once.
    try change { $0["n2"] = id(2) }
    try change { $0["n2"] = nil }
    #expect(try told() == ["replaced n1 1", "deleted n 3 é 3", "deleted n2 2"])
  }

  @Test func whatUndoLeftBehindComesThere() throws {
    try change { refs in for number in 0..<5 { refs.timeline.append(step(number)) } }
    try change { _ = $0.timeline.move(to: 2) }
    #expect(try told() == [])
    try change {
      $0["kept"] = id(4)
      $0.timeline.append(step(5))
    }
    #expect(try told() == ["undone - 3"])
    try change { $0["kept"] = nil }
    #expect(try told() == ["undone - 3", "deleted kept 4"])
  }

  /// A step that falls off a full timeline is kept by its entry, which counts from when the step came.
  @Test func whatFallsOffTheTimelineComesThere() throws {
    try change { refs in for number in 0..<FolderTimeline.limit { refs.timeline.append(step(number)) } }
    #expect(try firstLine() == "memento refs 4")
    #expect(try told() == [])
    clock.pass(seconds: 5)
    try change { $0.timeline.append(step(1000)) }
    try change {
      $0["named"] = id(2)
      $0.timeline.append(step(1001))
    }
    try change { $0.timeline.append(step(1002)) }
    let refs = try file.read()
    #expect(try told() == ["passed - 0", "passed - 1"])
    #expect(try file.trash(refs).map(\.lived) == [0, 0])
    #expect(try file.trash(refs).map(\.time) == [step(0).time, step(1).time])
    #expect(refs.timeline.steps.suffix(4).map(\.lived) == [0, 5, 5, 5])
    // A command that adds two steps, and one that replaces the last.
    try change {
      $0.timeline.append(step(1003))
      $0.timeline.append(step(1004))
    }
    try change { $0.timeline.replaceCurrent(with: step(1005)) }
    #expect(try told() == ["passed - 0", "passed - 1", "passed - 3", "passed - 4"])
    // A step that is undone goes to the trash as undone.
    try change { _ = $0.timeline.move(to: 990) }
    try change { $0.timeline.append(step(1006)) }
    #expect(try told().filter { $0.hasPrefix("undone") }.count == 9)
    // Its snapshot is on the timeline again: nothing is lost.
    try change { refs in for _ in 0..<9 { refs.timeline.append(step(5)) } }
    #expect(try told().suffix(1) != ["passed - 5"])
  }

  /// A save costs the same however many have fallen off: the lists are written a logarithmic number of times.
  @Test func manyThatFellOffAreInFewLists() throws {
    try change { refs in for number in 0..<FolderTimeline.limit { refs.timeline.append(step(number)) } }
    for number in 0..<900 { try change { $0.timeline.append(step(1000 + number)) } }
    #expect(try told() == (0..<900).map { "passed - \($0)" })
    #expect(try fixture.files("trash").count <= 8)
    #expect(try fixture.directory.read("refs").count < 140_000)
  }

  /// gc drops steps and entries, and what it drops leaves no entry.
  @Test func whatExpiresIsGone() throws {
    try change { refs in for number in 0..<10 { refs.timeline.append(step(number)) } }
    let refs = try file.read()
    let lock = try fixture.folder().lockAlone()
    #expect(
      try file.expire(
        steps: ExpiredSteps(own: Array(refs.timeline.steps[..<4])), keeping: [], isStored: { _ in true }, holding: lock,
        waiting: 10))
    #expect(try file.read().timeline.steps == Array(refs.timeline.steps[4...]))
    #expect(try file.read().timeline.position == 5)
    #expect(try told() == [])
    #expect(
      outcome {
        try file.expire(
          steps: ExpiredSteps(own: Array(refs.timeline.steps[..<4])), keeping: [], isStored: { _ in true },
          holding: lock, waiting: 10)
      }
        == .system(.stale))
    #expect(try file.read().timeline.steps == Array(refs.timeline.steps[4...]))
  }

  /// The steps of a store of an earlier version count from the first change by this one.
  @Test func stepsOfEarlierVersionsCountFromNow() throws {
    let body = "generation 1\nposition 0\nstep \(TrashTests.time) save \(id(1))\n"
    try fixture.directory.write("refs", "memento refs 1\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
    #expect(try file.read().timeline.steps.map(\.lived) == [nil])
    try change { $0["a"] = id(2) }
    clock.pass(seconds: 90)
    try change { $0.timeline.append(step(3)) }
    #expect(try file.read().timeline.steps.map(\.lived) == [0, 90])
    #expect(try file.clock(file.read()).age(of: 0) == 90)
  }

  @Test func aMarkThatIsTakenBackComesThere() throws {
    try change { $0.pending = PendingRestore(target: id(1), before: id(2), staging: "restore-1", position: nil) }
    try change {
      $0.timeline.append(step(2))
      $0.pending = nil
    }
    #expect(try told() == ["undone - 1"])
  }

  // MARK: Its form

  @Test func comesBackAsItIs() throws {
    try change { for number in 0..<4 { $0["n\(number) %é"] = id(number) } }
    clock.pass(seconds: 100)
    let refs = try change { $0.states.set([("n0 %é", nil), ("n1 %é", id(7))]) }
    #expect(try RefsFile(fixture.folder()).read() == refs)
    clock.pass(seconds: 50)
    let entries = try file.trash(refs)
    let now = file.clock(refs)
    #expect(entries.map(\.lived) == [0, 0])
    #expect(now.seconds == 50)
    #expect(now.timeLeft(since: entries[0].lived, of: 51) == 1)
    #expect(now.timeLeft(since: entries[0].lived, of: 50) == nil)
    #expect(now.timeLeft(since: 60, of: 0) == 10 && now.age(of: 60) == 0)
  }

  private static let good = "clock 2026-01-01T00:00:00.000000000Z - 5 6"
  private static let time = "2026-01-01T00:00:00.000000000Z"

  @Test(arguments: [
    "", "trash", "trash \(time) 1 deleted", "trash \(time) x deleted ID", "trash \(time) 1 eaten ID",
    "trash now 1 deleted ID", "trash \(time) 1 deleted ID ", "trash \(time) 1 deleted ID a b",
    "trash \(time) 1 deleted ID %ff", "trash \(time) 1 deleted ID %", "trash \(time) -1 deleted ID",
    "trash \(time) 99999999999999999999 deleted ID",
    "trash-list ID", "trash-list ID x", "trash-list x 1", "trash-list ID -1", good,
  ])
  func hostileLinesAreRefused(_ line: String) throws {
    let line = line.replacing("ID", with: id(1).description)
    let sample = "trash \(TrashTests.time) 1 deleted \(id(1)) a"
    func read(_ lines: [String]) throws -> Refs {
      let body = (["generation 1", "position -"] + lines).map { $0 + "\n" }.joined()
      try fixture.directory.write(
        "refs", "memento refs 3\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
      return try RefsFile(fixture.folder()).read()
    }
    #expect(outcome { try read([TrashTests.good, sample]) } == .done)
    #expect(outcome { try read([TrashTests.good, sample, line]) } == .damaged)
    #expect(outcome { try read([sample]) } == .damaged)
    #expect(outcome { try read([TrashTests.good]) } == .damaged)
    // Only the fourth form has steps that passed.
    #expect(outcome { try read([TrashTests.good, sample.replacing("deleted", with: "passed")]) } == .damaged)
  }

  @Test(arguments: ["", " ", " x", " -1", " 1 ", " 1 b a", " 99999999999999999999", "1"])
  func hostileAgesAreRefused(_ age: String) throws {
    func read(_ age: String, clock: String = "\n" + TrashTests.good) throws -> Refs {
      let body = "generation 1\nposition 0\nstep \(TrashTests.time) save \(id(1))\(age)\(clock)\n"
      try fixture.directory.write("refs", "memento refs 4\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
      return try RefsFile(fixture.folder()).read()
    }
    #expect(outcome { try read(" 1") } == .done)
    #expect(try read(" 7 a b").timeline.steps.map(\.lived) == [7])
    #expect(outcome { try read(" 1", clock: "") } == .damaged)
    #expect(outcome { try read(age) } == .damaged)
  }

  @Test func refsOfFormerFormsHaveNone() throws {
    for first in ["memento refs 1", "memento refs 2"] {
      let body = "generation 1\nposition -\n\(TrashTests.good)\n"
      try fixture.directory.write("refs", "\(first)\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
      #expect(outcome { try RefsFile(fixture.folder()).read() } == .damaged)
    }
  }

  // MARK: Many entries

  @Test func manyEntriesAreKeptInListsOfTheirOwn() throws {
    try change { refs in refs.states.set((0..<1500).map { ("n\($0)", id($0)) }) }
    for number in 0..<1000 { try change { $0["n\(number)"] = nil } }
    #expect(try told() == (0..<1000).map { "deleted n\($0) \($0)" })
    // Each commit writes few entries, and old lists are removed.
    #expect(try fixture.directory.read("refs").count < 200_000)
    #expect(try fixture.files("trash").count <= 8)
    try change { refs in refs.states.set((1000..<1500).map { ("n\($0)", nil) }) }
    #expect(try told().count == 1500)
    // gc keeps some of them.
    let entries = try file.trash(file.read())
    #expect(
      try file.expire(
        keeping: Array(entries.suffix(600)), isStored: { _ in true }, holding: try fixture.folder().lockAlone(),
        waiting: 10))
    #expect(try told() == (900..<1500).map { "deleted n\($0) \($0)" })
    #expect(
      try file.expire(keeping: [], isStored: { _ in true }, holding: try fixture.folder().lockAlone(), waiting: 10))
    #expect(try told() == [])
    #expect(try firstLine() == "memento refs 1")
  }

  /// A program that saves a value many times does not fill the store with old values.
  @Test func ofANameOnlyTheLastMeaningsStay() throws {
    for number in 0..<1000 { try change { $0["v"] = id(number) } }
    let told = try told()
    #expect(told.count <= 2 * Trash.keptReplacements + 130)
    #expect(told.suffix(100) == (899..<999).map { "replaced v \($0)" })
  }

  @Test(arguments: [true, false])
  func aDamagedListIsSaidToBe(_ isMissing: Bool) throws {
    try change { refs in refs.states.set((0..<200).map { ("n\($0)", id($0)) }) }
    try change { refs in refs.states.set((0..<200).map { ("n\($0)", nil) }) }
    let list = try fixture.onlyFile("trash")
    let copy = list.replacing("trash/", with: "backup/")
    for file in [list, copy] {
      #expect(try told().count == 200)  // the list or its copy is enough
      if isMissing {
        try fixture.directory.descriptor.removeFile(file.bytes)
      } else {
        try fixture.directory.write(file, "x".bytes)
      }
    }
    #expect(outcome { try file.trash(file.read()) } == .damaged)
    // Commands still work with the damaged list, and gc can drop it.
    for number in 0..<300 { try change { $0["v"] = id(number) } }
    #expect(
      try file.expire(keeping: [], isStored: { _ in true }, holding: try fixture.folder().lockAlone(), waiting: 10))
    #expect(try told() == [])
  }

  // MARK: Time

  @Test func aClockThatJumpsLetsNoTimePass() throws {
    try change { $0["a"] = id(1) }
    try change { $0["a"] = nil }
    let year: Int64 = 366 * 86400
    for jump in [year, -year, 10 * year, -20 * year, year] {
      clock.set(seconds: jump)
      try change { $0["x"] = id(2) }
    }
    var now = try file.clock(file.read())
    #expect(now.seconds == 0)
    // After a new boot, the wall clock counts, but for one day at most, and a wrong time counts only once.
    for jump in [year, -year, year, -year, year, -year, 0, year] {
      clock.set(seconds: jump)
      clock.boot()
      try change { $0["x"] = id(2) }
    }
    now = try file.clock(file.read())
    #expect(now.seconds <= 2 * 86400)
  }

  /// The machine stays on, or is started once each day.
  @Test(arguments: [true, false])
  func daysPassForAStoreThatIsUsedDaily(_ boots: Bool) throws {
    try change { $0["a"] = id(1) }
    try change { $0["a"] = nil }
    for day in 1...15 {
      clock.pass(seconds: 86400)
      if boots { clock.boot() }
      try change { $0["x"] = id(day) }
      let refs = try file.read()
      let entry = try #require(try file.trash(refs).first)
      #expect((file.clock(refs).timeLeft(since: entry.lived, of: 14 * 86400) == nil) == (day >= 14), "\(day)")
    }
  }

  @Test func manyShortStepsAddUp() throws {
    try change { $0["a"] = id(1) }
    for number in 0..<100 {
      clock.pass(nanoseconds: 300_000_000)
      try change { $0["a"] = id(number) }
    }
    #expect(try file.clock(file.read()).seconds == 30)
  }
}
