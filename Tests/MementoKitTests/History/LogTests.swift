// The history: its entries and what each one says.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct LogTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  private func log(_ change: (inout LogOptions) -> Void = { _ in }) throws -> [LogEntry] {
    var options = LogOptions()
    change(&options)
    return try shop.repository.log(options)
  }

  private func value(_ content: String, _ name: String) throws {
    try shop.outside.write("value".bytes, content.bytes)
    let file = try Descriptor.open(shop.outside.path + "/value".bytes, .namedFile)
    _ = try shop.repository.saveValue(readingFrom: file.raw, as: name)
  }

  // MARK: Paths

  /// Makes five saves. Their names tell what they change.
  private func fiveSaves() throws {
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/x".bytes, "1".bytes)
    try shop.folder.write("a".bytes, "1".bytes)
    try shop.save("all")
    try shop.folder.write("a".bytes, "22".bytes)
    try shop.save("a")
    try shop.folder.write("d/x".bytes, "22".bytes)
    try shop.save("x")
    try shop.folder.setMode("a".bytes, 0o600)
    try shop.folder.write("d/y".bytes, "new".bytes)
    try shop.save("mode, y")
    try shop.folder.remove("d/x".bytes)
    try shop.save("no x")
  }

  @Test(arguments: [
    (["a"], ["mode, y", "a", "all"]), (["d/x"], ["no x", "x", "all"]), (["d"], ["no x", "mode, y", "x", "all"]),
    (["d/y"], ["mode, y"]), (["a", "d/y"], ["mode, y", "a", "all"]), (["d/"], ["no x", "mode, y", "x", "all"]),
    (["nothing"], []), (["d/x/z"], []), (["a/z"], []), ([""], ["no x", "mode, y", "x", "a", "all"]),
  ])
  func onlyWhereAPathChanged(_ paths: [String], _ expected: [String]) throws {
    try fiveSaves()
    let entries = try log { $0.paths = paths.map { BytePath($0) } }
    #expect(entries.map(\.snapshot.name) == expected)
    #expect(entries.allSatisfy { $0.changes == nil })
    // A log from a snapshot along its parents gives the same entries.
    let parents = try log {
      $0.paths = paths.map { BytePath($0) }
      $0.from = "@"
    }
    #expect(parents.map(\.snapshot.name) == expected)
    let first = try log {
      $0.paths = paths.map { BytePath($0) }
      $0.limit = 1
    }
    #expect(first.map(\.snapshot.name) == Array(expected.prefix(1)))
  }

  /// The changes of a restore are those against the state before it.
  @Test func aRestoreIsComparedWithWhatWasBefore() throws {
    try fiveSaves()
    try shop.restore("x")
    #expect(try log { $0.paths = [BytePath("d/x")] }.map(\.operation) == [.restore, .save, .save, .save])
    #expect(try log { $0.paths = [BytePath("a")] }.map(\.operation) == [.restore, .save, .save, .save])
    try shop.restore("a")
    #expect(try log { $0.paths = [BytePath("d/y")] }.map(\.operation) == [.restore, .save])
  }

  @Test func changesHaveKindsAndSizes() throws {
    try fiveSaves()
    let entries = try log { $0.withChanges = true }
    let told = entries.map { entry in
      (entry.changes ?? []).map { sized in
        "\(sized.change.kind) \(sized.change.path) \(sized.oldSize.map(String.init) ?? "-") "
          + "\(sized.newSize.map(String.init) ?? "-")"
      }
    }
    #expect(
      told == [
        ["removed d/x 2 -"], ["metadata a 2 2", "added d/y - 3"], ["modified d/x 1 2"], ["modified a 1 2"],
        ["added a - 1", "added d/x - 1"],
      ])
    let some = try log {
      $0.withChanges = true
      $0.paths = [BytePath("d")]
    }
    #expect(some.map { $0.changes?.map(\.change.path.lossyText) } == [["d/x"], ["d/y"], ["d/x"], ["d/x"]])
  }

  /// When gc has removed the older snapshot, the changes are not known.
  @Test func changesEndWhereHistoryDoes() throws {
    try fiveSaves()
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      if let short = FolderTimeline(steps: Array(refs.timeline.steps.suffix(2)), position: 1) { refs.timeline = short }
      refs.states.set(["all", "a", "x"].map { ($0, nil) })
    }
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    let entries = try log { $0.withChanges = true }
    #expect(entries.map(\.snapshot.name) == ["no x", "mode, y"])
    #expect(entries.map { $0.changes?.count } == [1, nil])
    #expect(try log { $0.paths = [BytePath("d")] }.count == 2)
  }

  // MARK: Times

  @Test func onlyBetweenTwoTimes() throws {
    try fiveSaves()
    let all = try log()
    for first in all.indices {
      for last in first..<all.count {
        let entries = try log {
          $0.until = all[first].time
          $0.since = all[last].time
        }
        #expect(entries == Array(all[first...last]))
      }
    }
    #expect(try log { $0.since = SnapshotTime(all[0].time.timestamp.adding(seconds: 1)) } == [])
    #expect(try log { $0.until = SnapshotTime(all[4].time.timestamp.adding(seconds: -1)) } == [])
    let parents = try log {
      $0.from = "@~1"
      $0.since = all[3].time
    }
    #expect(parents.map(\.snapshot.name) == ["mode, y", "x", "a"])
  }

  // MARK: All

  private func told(_ entries: [LogEntry]) -> [String] {
    entries.map { entry in
      ([entry.operation.description, entry.snapshot.name ?? "-"] + entry.marks.map(\.description) + entry.deletedNames)
        .joined(
          separator: " ")
    }
  }

  @Test func allHasWhatUndoLeftBehind() throws {
    try fiveSaves()
    try shop.repository.undo(2)
    try shop.folder.write("b".bytes, "b".bytes)
    try shop.save("other")
    #expect(told(try log()) == ["save other", "save x", "save a", "save all"])
    let all = try log { $0.showsAll = true }
    #expect(told(all) == ["save other", "save no x undone", "save mode, y undone", "save x", "save a", "save all"])
    #expect(all.map(\.isCurrent) == [true, false, false, false, false, false])
    #expect(all[1].names == ["no x"])
    // Such a snapshot can be restored, and it is then on the timeline again.
    try shop.restore("no x")
    #expect(told(try log { $0.showsAll = true }).filter { $0.hasSuffix("undone") } == ["save mode, y undone"])
    // gc keeps snapshots with a name, and removes those without.
    _ = try shop.repository.delete(["mode, y"])
    #expect(told(try log { $0.showsAll = true }).contains("save mode, y undone deleted mode, y"))
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(try !log { $0.showsAll = true }.contains { !$0.marks.isEmpty })
  }

  @Test func allHasGuardsAndPartsThatWereLeftBehind() throws {
    try fiveSaves()
    try shop.folder.write("a".bytes, "unsaved".bytes)
    try shop.repository.undo()
    try shop.restore("x") { $0.paths = [BytePath("d/x")] }
    try shop.repository.undo()
    try shop.folder.write("b".bytes, "b".bytes)
    try shop.save("other")
    let all = told(try log { $0.showsAll = true })
    #expect(all.contains("guard - undone"))
    #expect(Set(all).count == all.count)
    let left = try log { $0.showsAll = true }.filter { $0.marks == [.undone] }
    for entry in left {
      #expect(try shop.repository.snapshot(Revision(entry.snapshot.id.description)) == entry.snapshot)
    }
  }

  @Test func allHasValuesAndWhatWasDeleted() throws {
    try fiveSaves()
    try value("1", "v")
    try value("2", "v")
    try value("3", "w")
    _ = try shop.repository.delete(["w", "a"])
    let all = told(try log { $0.showsAll = true })
    #expect(
      all == [
        "save w deleted w", "save v", "save v replaced", "save no x", "save mode, y", "save x", "save a deleted a",
        "save all",
      ])
    // A name that is given again is not listed as deleted.
    _ = try shop.repository.name("@~3", as: "a")
    #expect(told(try log { $0.showsAll = true }).contains("save a"))
    #expect(
      try log {
        $0.showsAll = true; $0.limit = 2
      }.map(\.snapshot.name) == ["w", "v"])
    #expect(
      told(
        try log {
          $0.showsAll = true; $0.paths = [BytePath("a")]
        }
      ).count == 3)
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(told(try log { $0.showsAll = true }).filter { $0.contains(" v") || $0.contains(" w") } == ["save v"])
  }

  /// Without the journal, only the timeline is listed.
  @Test func allWithoutTheJournal() throws {
    try fiveSaves()
    try shop.storeFolder.remove("journal".bytes)
    #expect(try log { $0.showsAll = true } == log())
  }

  // MARK: What it costs

  /// A snapshot that the log does not show may be damaged or missing.
  @Test func nothingIsReadThatIsNotShown() throws {
    try fiveSaves()
    let refs = try shop.repository.readRefs()
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      var steps = refs.timeline.steps
      for index in 0..<3 { steps[index].snapshot = ObjectID(hashing: "nothing \(index)".bytes) }
      if let forged = FolderTimeline(steps: steps, position: 4) { refs.timeline = forged }
    }
    #expect(
      try log { $0.limit = 2 }.map(\.snapshot.id.object) == refs.timeline.steps.suffix(2).reversed().map(\.snapshot))
    #expect(try log { $0.limit = 0 } == [])
    #expect(try log { $0.until = SnapshotTime(seconds: 0, nanoseconds: 0) } == [])
    #expect(code { try log() } == .damaged)
    #expect(code { try log { $0.limit = 3 } } == .damaged)
  }

  /// A step that cannot be read does not keep those from being listed that come before it, also where several are looked at
  /// together.
  @Test func nothingOfOtherStepsIsNeededForAPath() throws {
    try fiveSaves()
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      var steps = refs.timeline.steps
      steps[0].snapshot = ObjectID(hashing: "nothing".bytes)
      if let forged = FolderTimeline(steps: steps, position: 4) { refs.timeline = forged }
    }
    let changes = { (limit: Int) in
      try log {
        $0.limit = limit
        $0.paths = ["d/x"]
      }.map(\.names)
    }
    #expect(try changes(2) == [["no x"], ["x"]])
    // What was before "a" is not known, so it has brought all.
    #expect(try changes(3) == [["no x"], ["x"], ["a"]])
    #expect(code { try changes(4) } == .damaged)
  }

  /// A state of which the time cannot be read is not called too old.
  @Test func sinceADayAndAStateThatCannotBeRead() throws {
    try fiveSaves()
    let future = SnapshotTime(seconds: 1 << 40, nanoseconds: 0)
    #expect(
      try log {
        $0.showsAll = true; $0.since = future
      } == [])
    _ = try shop.repository.store.refs.update(waiting: 10) { $0["lost"] = ObjectID(hashing: "nothing".bytes) }
    #expect(
      code {
        try log {
          $0.showsAll = true; $0.since = future
        }
      } == .damaged)
    #expect(code { try log { $0.showsAll = true } } == .damaged)
    // Those on the timeline are not affected.
    #expect(try log { $0.since = future } == [])
  }

  /// What cannot be read is not called unchanged.
  @Test func aPathOfWhichTheTreesCannotBeRead() throws {
    try fiveSaves()
    let a = try shop.record("a")
    try shop.plant(tree: ObjectID(hashing: "no tree".bytes), as: "broken")
    let whole = try shop.repository.snapshot("a").id.object
    let broken = try shop.repository.snapshot("broken").id.object
    func differs(_ before: ObjectID?, _ snapshot: ObjectID) throws -> Bool? {
      var step = HistoryStep(operation: .save, time: a.time, snapshot: snapshot)
      step.before = before
      let probe = PathProbe(["a"], in: shop.repository.store, SavedChanges([])) { false }
      return try probe.look(at: [step])[0].differs
    }
    #expect(try differs(whole, whole) == false)
    #expect(try differs(broken, whole) == nil)
    #expect(try differs(whole, broken) == nil)
    #expect(try differs(ObjectID(hashing: "gone".bytes), whole) == true)
    #expect(try differs(whole, ObjectID(hashing: "gone".bytes)) == nil)
    let cancelled = PathProbe(["a"], in: shop.repository.store, SavedChanges([])) { true }
    #expect(throws: StoreError.self) {
      try cancelled.look(at: [HistoryStep(operation: .save, time: a.time, snapshot: whole)])
    }
  }

  /// What is asked of a path is what a comparison of all steps has at this path.
  @Test(arguments: 0..<6) func pathsAsAComparisonHasThem(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let names = ["a", "b", "d/a", "d/e/f", "d/e", "g"]
    for number in 0..<40 {
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        let name = names.randomElement(using: &generator) ?? "a"
        if shop.folder.exists(name) {
          try? shop.folder.folder(name).empty()
          try? shop.folder.remove(name.bytes)
        } else {
          let folder = name.split(separator: "/").dropLast().joined(separator: "/")
          if !folder.isEmpty, !shop.folder.exists(folder) { try? shop.folder.makeFolder(folder.bytes) }
          try? shop.folder.write(name.bytes, "\(number)".bytes)
        }
      }
      try shop.save("s\(number)")
      if Int.random(in: 0..<6, using: &generator) == 0 { _ = try? shop.repository.undo() }
    }
    let all = try log { $0.withChanges = true }
    for paths in [["a"], ["d"], ["d/e"], ["d/e/f"], ["nothing"], ["a", "d/a"], ["a/b"]] {
      let expected = all.filter { entry in
        entry.changes?.contains { change in
          paths.contains { change.change.path.description == $0 || change.change.path.description.hasPrefix($0 + "/") }
        } ?? false
      }
      for limit in [nil, 1, 3] {
        let found = try log {
          $0.paths = paths.map { BytePath($0) }
          $0.limit = limit
        }
        #expect(found.map(\.snapshot.id) == expected.prefix(limit ?? .max).map(\.snapshot.id), "\(paths)")
      }
    }
  }

  /// More steps than the timeline keeps: older entries are parents, each listed once, and gc ends the list.
  @Test func moreStepsThanTheTimelineKeeps() throws {
    var ids: [SnapshotID] = []
    for number in 0..<12 {
      try shop.folder.write("file".bytes, "\(number)".bytes)
      ids.insert(try shop.save().snapshot.id, at: 0)
    }
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      let steps = Array(refs.timeline.steps.suffix(3))
      if let short = FolderTimeline(steps: steps, position: 2) { refs.timeline = short }
    }
    #expect(try log().map(\.snapshot.id) == ids)
    #expect(try log { $0.showsAll = true }.map(\.snapshot.id) == ids)
    #expect(try log { $0.showsAll = true }.allSatisfy { $0.marks.isEmpty })
    #expect(try log { $0.paths = [BytePath("file")] }.map(\.snapshot.id) == ids)
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(try shop.reopened().log().map(\.snapshot.id) == Array(ids.prefix(3)))
  }
}
