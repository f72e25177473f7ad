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
    return try RefsFile(fixture.folder(), clock: clock.read).trash(file.read()).entries.map {
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

  @Test func whatBecomesTooOldDoesNot() throws {
    try change { refs in for number in 0..<FolderTimeline.limit { refs.timeline.append(step(number)) } }
    try change { $0.timeline.append(step(1000)) }
    #expect(try told() == [])
    #expect(try firstLine() == "memento refs 1")
    // A step that is undone at the same time goes to the trash.
    try change { _ = $0.timeline.move(to: 990) }
    try change { $0.timeline.append(step(1001)) }
    #expect(try told().count == 9)
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
    let (entries, now) = try file.trash(refs)
    #expect(entries.map(\.lived) == [0, 0])
    #expect(now.seconds == 50)
    #expect(now.timeLeft(entries[0], of: 51) == 1)
    #expect(now.timeLeft(entries[0], of: 50) == nil)
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
    let entries = try file.trash(file.read()).entries
    try file.keepTrash(Array(entries.suffix(600)), holding: try fixture.folder().lockAlone(), waiting: 10)
    #expect(try told() == (900..<1500).map { "deleted n\($0) \($0)" })
    try file.keepTrash([], holding: try fixture.folder().lockAlone(), waiting: 10)
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
    try file.keepTrash([], holding: try fixture.folder().lockAlone(), waiting: 10)
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
    var now = try file.trash(file.read()).now
    #expect(now.seconds == 0)
    // After a new boot, the wall clock counts, but for one day at most, and a wrong time counts only once.
    for jump in [year, -year, year, -year, year, -year, 0, year] {
      clock.set(seconds: jump)
      clock.boot()
      try change { $0["x"] = id(2) }
    }
    now = try file.trash(file.read()).now
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
      let (entries, now) = try file.trash(file.read())
      let entry = try #require(entries.first)
      #expect((now.timeLeft(entry, of: Trash.standardTime) == nil) == (day >= 14), "\(day)")
    }
  }

  @Test func manyShortStepsAddUp() throws {
    try change { $0["a"] = id(1) }
    for number in 0..<100 {
      clock.pass(nanoseconds: 300_000_000)
      try change { $0["a"] = id(number) }
    }
    #expect(try file.trash(file.read()).now.seconds == 30)
  }
}
