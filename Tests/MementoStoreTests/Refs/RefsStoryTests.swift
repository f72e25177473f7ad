import MementoModel
import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

/// What steps did, and notes of snapshots: the fifth form of `refs`.
struct RefsStoryTests {
  private let fixture: StoreFixture
  private let file: RefsFile
  private let clock = TestClock()

  init() throws {
    fixture = try StoreFixture()
    file = RefsFile(try fixture.folder(), clock: clock.read)
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  private func step(_ number: Int, _ story: StepStory?) -> TimelineStep {
    TimelineStep(operation: .save, time: Timestamp(seconds: 1, nanoseconds: 0), snapshot: id(number), story: story)
  }

  private func run(_ words: [[UInt8]], _ status: UInt8 = 0) -> StepStory {
    .run(CommandRun(words.map { BytePath($0) }, status: status, milliseconds: 130_000))
  }

  private func firstLine() throws -> String {
    String(decoding: try fixture.directory.read("refs").prefix { $0 != 0x0A }, as: UTF8.self)
  }

  @Test func comeBack() throws {
    let stories: [StepStory?] = [
      run(["./upgrade.sh".bytes, "a b".bytes, [], [0xFF, 0x0A]], 3), nil, run([Content.random(500, seed: 1)]),
      .restored(RestoredState(name: "before upgrade", created: 130, replaced: 60, removed: 36, metadata: 4)),
      .restored(RestoredState(name: "one", until: "a b", created: 0, replaced: 1, removed: 0, metadata: 0)),
    ]
    let written = try file.update(waiting: 10) { refs in
      for (number, story) in stories.enumerated() { refs.timeline.append(step(number, story)) }
      refs.notes[id(3)] = "two\nlines é"
      refs.notes[id(1)] = " "
      refs["one"] = id(1)
    }.refs
    let read = try RefsFile(fixture.folder(), clock: clock.read).read()
    #expect(read == written)
    #expect(read.timeline.steps.map(\.story) == stories)
    #expect(read.notes[id(3)] == "two\nlines é" && read.notes[id(1)] == " " && read.notes[id(2)] == nil)
    #expect(try firstLine() == "memento refs 5")
    let story = "did run 3 130000 whole ./upgrade.sh a%20b %00 %ff%0a\n"
    #expect(String(decoding: try fixture.directory.read("refs"), as: UTF8.self).lowercased().contains(story))
  }

  @Test func olderProgramsReadRefsWithoutThem() throws {
    _ = try file.update(waiting: 10) { $0.timeline.append(step(1, nil)) }
    #expect(try firstLine() == "memento refs 4")
    _ = try file.update(waiting: 10) { $0.notes[id(1)] = "a" }
    #expect(try firstLine() == "memento refs 5")
    _ = try file.update(waiting: 10) { $0.notes[id(1)] = nil }
    #expect(try firstLine() == "memento refs 4")
  }

  private static let a = ObjectID(hashing: "a".bytes).description
  private static let b = ObjectID(hashing: "b".bytes).description
  private static let head =
    "position 0\nstep 2026-01-01T00:00:00.000000000Z save \(a) 0\n"
  private static let end = "clock 2026-01-01T00:00:00.000000000Z - 0 0\n"

  private func outcome(_ lines: String, first: String) throws -> Bool {
    let body = "\(RefsStoryTests.head)\(lines)\n\(RefsStoryTests.end)"
    try fixture.directory.write("refs", "\(first)\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
    let file = try RefsFile(fixture.folder(), clock: clock.read)
    do throws(StoreError) {
      _ = try file.read()
      return true
    } catch {
      guard case .damaged = error else { throw error }
      return false
    }
  }

  @Test(arguments: [
    "did run 0 5 whole make", "did run 255 18446744073709551615 cut make %00", "did restore a%20b 0 0 0 0",
    "note \(a) text", "note \([a, b].min()!) x\nnote \([a, b].max()!) y",
  ])
  func onlyTheFifthFormHasThem(_ lines: String) throws {
    #expect(try outcome(lines, first: "memento refs 5"))
    #expect(try !outcome(lines, first: "memento refs 4"))
  }

  @Test(arguments: [
    "did", "did run", "did run 0 5 whole", "did run 256 5 whole make", "did run -1 5 whole make",
    "did run 0 18446744073709551616 whole make", "did run 0 5 half make", "did run 0 5 whole make ",
    "did run 0 5 whole %zz", "did run 0 5 whole \(String(repeating: "x", count: 121))",
    "did run 0 5 whole make\ndid run 0 5 whole make", "note \(a) x\ndid run 0 5 whole make", "did restore  0 0 0 0",
    "did restore a 0 0 0", "did revert a 0 0 0 0", "did revert a b 0 0 0", "did revert a  0 0 0 0",
    "did restore a b 0 0 0 0",
    "did restore a 0 0 0 0 0", "did restore a 0 0 0 -1", "did restore a 0 0 0 9223372036854775808",
    "did restore %ff 0 0 0 0", "did save a", "note \(a)", "note \(a) ", "note \(a.dropLast()) x", "note \(a) %ff",
    "note \(a) %00", "note \(a) x\nnote \(a) y", "note \([a, b].max()!) x\nnote \([a, b].min()!) y",
    "note \(a) \(String(repeating: "x", count: 4097))",
  ])
  func hostileLinesAreRefused(_ lines: String) throws {
    #expect(try !outcome(lines, first: "memento refs 5"))
  }

  @Test func anExchangeKeepsNotesAndForgetsWhatChangedStepsDid() throws {
    _ = try file.update(waiting: 10) { refs in
      refs.timeline.append(step(1, run(["cp".bytes, "secret".bytes])))
      refs.timeline.append(step(2, run(["make".bytes])))
      refs.notes[id(1)] = "first"
    }
    let lock = try fixture.folder().lockAlone()
    try file.exchange(
      SnapshotExchange([id(1): id(7)], removing: PathFilter([])), holding: lock, waiting: 10)
    let refs = try file.read()
    #expect(refs.timeline.steps.map(\.snapshot) == [id(7), id(2)])
    #expect(refs.timeline.steps.map(\.story) == [nil, run(["make".bytes])])
    #expect(refs.notes[id(7)] == "first" && refs.notes[id(1)] == nil)
  }

  /// Even where nothing else expires: no name, no step, no trash.
  @Test func aNoteGoesWithItsSnapshot() throws {
    _ = try file.update(waiting: 10) { refs in
      refs.notes[id(1)] = "gone"
      refs.notes[id(2)] = "there"
      refs.notes[id(3)] = "missing, and named"
      refs["named"] = id(3)
    }
    let lock = try fixture.folder().lockAlone()
    #expect(try file.expire(keeping: [], isStored: { $0 == id(2) }, holding: lock, waiting: 10))
    #expect(try file.read().notes.snapshots == [id(2), id(3)].sorted(by: <))
    let bytes = try fixture.directory.read("refs")
    #expect(try file.expire(keeping: [], isStored: { $0 == id(2) }, holding: lock, waiting: 10))
    #expect(try fixture.directory.read("refs") == bytes)
  }

  @Test(arguments: [
    (["make".bytes], ["make".bytes], false),
    ([[UInt8](repeating: 0x61, count: 121)], [[UInt8](repeating: 0x61, count: 120)], true),
    ([[UInt8](repeating: 0x61, count: 118), "bcd".bytes], [[UInt8](repeating: 0x61, count: 118), "bc".bytes], true),
    ([[UInt8](repeating: 0x61, count: 119) + "é".bytes], [[UInt8](repeating: 0x61, count: 119)], true),
    ([[], "x".bytes], [[], "x".bytes], false),
  ])
  func longCommandsAreCut(_ words: [[UInt8]], _ kept: [[UInt8]], _ isCut: Bool) {
    let run = CommandRun(words.map { BytePath($0) }, status: 0, milliseconds: 0)
    #expect(run.words.map(\.bytes) == kept)
    #expect(run.isCut == isCut)
  }
}
