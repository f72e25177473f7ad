import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

/// Folders that share a store: the sixth form of `refs`, and how they are looked at from one of the folders.
struct ForkedFolderTests {
  private let fixture: StoreFixture
  private let file: RefsFile
  private let clock = TestClock()
  private let fork = ForkID("0123abcd")!

  init() throws {
    fixture = try StoreFixture()
    file = RefsFile(try fixture.folder(), clock: clock.read)
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  private func step(_ number: Int) -> TimelineStep {
    TimelineStep(operation: .save, time: Timestamp(seconds: 1, nanoseconds: 0), snapshot: id(number))
  }

  private func firstLine() throws -> String {
    String(decoding: try fixture.directory.read("refs").prefix { $0 != 0x0A }, as: UTF8.self)
  }

  /// The same `refs` as the fork sees them.
  private func seenFromFork() throws -> RefsFile {
    let folder = try fixture.folder()
    return RefsFile(
      folder, LocalRefs(folder), LocalPacks(folder), clock: clock.read, healed: HealedFiles(), fork: fork)
  }

  private func addFork() throws {
    _ = try file.update(waiting: 10) { refs in
      refs.timeline.append(step(1))
      refs.forks.append(ForkedFolder(fork, at: "/home/a b\n\u{FF}".bytes))
    }
  }

  @Test func comeBack() throws {
    try addFork()
    let written = try file.update(waiting: 10) { refs in
      var other = ForkedFolder(ForkID("ffffffff")!, at: "/o".bytes)
      for number in 2...4 { other.timeline.append(step(number)) }
      _ = other.timeline.move(to: 1)
      other.timeline.replaceCurrent(
        with: TimelineStep(
          operation: .restore, time: Timestamp(seconds: 2, nanoseconds: 0), snapshot: id(9), paths: ["a".bytes],
          story: .restored(RestoredState(name: "one", created: 1, replaced: 0, removed: 0, metadata: 0))))
      other.pending = PendingRestore(
        target: id(5), before: id(6), staging: "restore-1-2", position: 0, paths: ["p".bytes], kept: ["*.log".bytes])
      refs.forks.append(other)
      refs.pending = PendingRestore(target: id(7), before: nil, staging: "restore-3-4", position: nil)
      refs.notes[id(2)] = "text"
      refs["one"] = id(1)
    }.refs
    let read = try RefsFile(fixture.folder(), clock: clock.read).read()
    #expect(read == written)
    #expect(read.forks.map(\.path) == ["/home/a b\n\u{FF}".bytes, "/o".bytes])
    #expect(read.allPending.map(\.staging) == ["restore-3-4", "restore-1-2"])
    #expect(read.roots == Set([1, 2, 4, 5, 6, 7, 9].map(id)))
    #expect(try firstLine() == "memento refs 6")
  }

  @Test func onlyForksNeedTheSixthForm() throws {
    try addFork()
    #expect(try firstLine() == "memento refs 6")
    _ = try file.update(waiting: 10) { $0.forks = [] }
    #expect(try firstLine() == "memento refs 4")
  }

  /// What one folder does changes nothing of the other, whoever writes last.
  @Test func eachSeesItsOwnSteps() throws {
    try addFork()
    let other = try seenFromFork()
    _ = try other.update(waiting: 10) { refs in
      #expect(refs.timeline.steps.isEmpty)
      refs.timeline.append(step(2))
      refs.pending = PendingRestore(target: id(3), before: nil, staging: "restore-1-2", position: nil)
      refs["two"] = id(2)
    }
    _ = try file.update(waiting: 10) { refs in
      #expect(refs.pending == nil && refs.timeline.steps.map(\.snapshot) == [id(1)] && refs["two"] == id(2))
      refs.timeline.append(step(4))
    }
    let seen = try other.read()
    #expect(seen.timeline.steps.map(\.snapshot) == [id(2)] && seen.pending?.target == id(3))
    #expect(seen.roots == Set([1, 2, 3, 4].map(id)) && (1...4).allSatisfy { seen.keeps(id($0)) } && !seen.keeps(id(5)))
    #expect(try file.read()[fork: fork]?.timeline == seen.timeline)
    #expect(try other.ofMainFolder.read() == file.read())
    #expect(try other.read() == RefsFile(fixture.folder(), clock: clock.read).with(fork).read())
  }

  @Test func exchangedTwiceIsAsBefore() throws {
    try addFork()
    let refs = try file.read()
    var other = refs
    var isExchanged = other.exchange(with: fork)
    #expect(isExchanged && other != refs)
    isExchanged = other.exchange(with: fork)
    #expect(isExchanged && other == refs)
    isExchanged = other.exchange(with: ForkID("00000000")!)
    #expect(!isExchanged && other == refs)
  }

  @Test func aForkThatIsNotThereIsSaid() throws {
    _ = try file.update(waiting: 10) { $0["one"] = id(1) }
    let other = try seenFromFork()
    #expect(outcome { try other.read() } == .unknownFork)
    #expect(outcome { try other.update(waiting: 10) { $0["two"] = id(2) } } == .unknownFork)
    #expect(!StoreError.unknownFork(fork).isDamage)
    #expect(try file.read()["two"] == nil)
  }

  /// A forgotten fork leaves its steps to the trash, as steps that have passed; a snapshot with another keeper is not there.
  @Test func whatAForkLeaves() throws {
    try addFork()
    let other = try seenFromFork()
    _ = try other.update(waiting: 10) { refs in
      for number in [1, 2, 3, 4] { refs.timeline.append(step(number)) }
      _ = refs.timeline.move(to: 2)
      refs["three"] = id(3)
    }
    clock.pass(seconds: 100)
    _ = try other.update(waiting: 10) { refs in refs.timeline.append(step(5)) }
    #expect(try file.trash(file.read()).map(\.snapshot) == [id(4)])
    let refs = try file.update(waiting: 10) { $0.forks = [] }.refs
    let entries = try file.trash(refs).filter { $0.reason == .passed }
    #expect(entries.map(\.snapshot) == [id(2), id(5)])
    #expect(entries.map(\.lived) == [0, 100])
  }

  @Test func stepsOfForksExpire() throws {
    try addFork()
    let other = try seenFromFork()
    let steps = try other.update(waiting: 10) { refs in
      for number in 2...5 { refs.timeline.append(step(number)) }
    }.refs.timeline.steps
    let lock = try fixture.folder().lockAlone()
    let expired = ExpiredSteps(forks: [fork: Array(steps[..<2])])
    #expect(try file.expire(steps: expired, keeping: [], isStored: { _ in true }, holding: lock, waiting: 10))
    #expect(try other.read().timeline.steps.map(\.snapshot) == [id(4), id(5)])
    #expect(try file.read().timeline.steps.map(\.snapshot) == [id(1)])
    #expect(throws: StoreError.self) {
      try file.expire(steps: expired, keeping: [], isStored: { _ in true }, holding: lock, waiting: 10)
    }
    #expect(throws: StoreError.self) {
      try file.expire(
        steps: ExpiredSteps(forks: [ForkID("00000000")!: steps]), keeping: [], isStored: { _ in true }, holding: lock,
        waiting: 10)
    }
  }

  /// A repair that is started in a fork puts back copies as they are.
  @Test(arguments: [true, false]) func refsThatWereDamagedAreMended(hasCopies: Bool) throws {
    try addFork()
    let other = try seenFromFork()
    _ = try other.update(waiting: 10) { $0.timeline.append(step(2)) }
    let before = try file.read()
    if !hasCopies { try fixture.directory.descriptor.removeTree("backup".bytes) }
    try fixture.directory.write("refs", "x".bytes)
    #expect(try seenFromFork().mend(waiting: 10) == (hasCopies ? .backup : .previous))
    let after = try RefsFile(fixture.folder(), clock: clock.read).read()
    if hasCopies {
      #expect(after.timeline == before.timeline && after.forks == before.forks)
    } else {
      #expect(after.timeline == before.timeline && after.forks.map(\.timeline.steps.count) == [0])
    }
  }

  private static let a = ObjectID(hashing: "a".bytes).description
  private static let stepLine = "step 2026-01-01T00:00:00.000000000Z save \(a) 0\n"

  @Test(arguments: [
    ("fork 0123abcd /a\nposition -", true), ("fork 0123abcd /a\nposition 0\n\(stepLine)", true),
    ("fork 0123abcd /a%20b%ff\nposition -\nfork 0123abce /a\nposition -", true),
    ("fork 0123abcd /a\nposition -\npending \(a) - - restore-1\nkeep x", true),
    ("", false), ("fork 0123abcd a\nposition -", false), ("fork 0123abcd\nposition -", false),
    ("fork 0123abcd /a /b\nposition -", false), ("fork 0123ABCD /a\nposition -", false),
    ("fork 0123abc /a\nposition -", false), ("fork 0123abcd %\nposition -", false),
    ("fork 0123abcd %00\nposition -", false), ("fork 0123abcd \nposition -", false),
    ("fork 0123abcd /a\nposition 0", false), ("fork 0123abcd /a\nposition -\n\(stepLine)", false),
    ("fork 0123abcd /a\ndid run 0 5 whole make\nposition -", false),
    ("fork 0123abcd /a\nkeep x\nposition -", false),
    ("fork 0123abcd /a\nposition -\nfork 0123abcd /b\nposition -", false),
  ])
  func linesOfForks(_ lines: String, isGood: Bool) throws {
    for (first, isRead) in [("memento refs 6", isGood), ("memento refs 5", false)] where first.hasSuffix("6") || isGood
    {
      let text = lines.hasSuffix("\n") || lines.isEmpty ? lines : lines + "\n"
      let body =
        "position 0\n\(ForkedFolderTests.stepLine)\(text)clock 2026-01-01T00:00:00.000000000Z - 0 0\n"
      try fixture.directory.write("refs", "\(first)\nchecksum \(ObjectID(hashing: body.bytes))\n\(body)".bytes)
      let file = try RefsFile(fixture.folder(), clock: clock.read)
      do throws(StoreError) {
        _ = try file.read()
        #expect(isRead, "\(lines)")
      } catch {
        guard case .damaged = error else { throw error }
        #expect(!isRead, "\(lines)")
      }
    }
  }

  @Test func idsAreUnlikeEachOther() {
    var ids: [ForkID] = []
    for _ in 0..<100 { ids.append(ForkID(besides: ids)) }
    #expect(Set(ids).count == 100 && ids.allSatisfy { ForkID($0.description) == $0 })
  }
}

extension RefsFile {
  fileprivate func with(_ fork: ForkID) -> RefsFile {
    RefsFile(folder, storage, LocalPacks(folder), healed: HealedFiles(), fork: fork)
  }
}
