import Testing

@testable import MementoCLI
@testable import MementoKit

@Suite struct ResultTextTests {
  private let form = TextForm(zoneOffset: { _ in 7200 })

  @Test func aSaveIsOneLine() {
    #expect(
      SaveText(form: form).folder(Sample.save())
        == "saved before-upgrade 3f2a00000000: 3 added, 2 modified, 1 removed; 1.2 MiB added to the store")
  }

  @Test func aSaveWithoutANameSaysSo() {
    let summary = Sample.save(Sample.snapshot(name: nil), changes: ChangeCounts())
    #expect(
      SaveText(form: form).folder(summary) == "saved (unnamed) 3f2a00000000: no changes; 1.2 MiB added to the store")
  }

  @Test func aMovedNameSaysWhereItWas() {
    let summary = Sample.save(replaced: Sample.otherID, changes: ChangeCounts(removed: 1))
    #expect(
      SaveText(form: form).folder(summary)
        == "saved before-upgrade 3f2a00000000 (was bbbb00000000): 1 removed; 1.2 MiB added to the store")
  }

  @Test func aSaveThatIsIncompleteSaysSo() {
    let summary = Sample.save(Sample.snapshot(isComplete: false), changes: ChangeCounts(added: 1))
    #expect(SaveText(form: form).folder(summary).contains(": 1 added (incomplete); "))
  }

  @Test func aPlannedSaveHasNoID() {
    #expect(
      SaveText(form: form).folder(Sample.save(isCommitted: false))
        == "would save before-upgrade: 3 added, 2 modified, 1 removed; 2.0 KiB in changed files")
  }

  @Test func aValueHasASize() {
    let summary = Sample.save(Sample.snapshot(kind: .value, files: 1, bytes: 1234))
    #expect(
      SaveText(form: form).value(summary)
        == "saved before-upgrade 3f2a00000000: a value of 1.2 KiB; 1.2 MiB added to the store")
  }

  @Test func aSecondNameIsTheOneThatWasAskedFor() {
    #expect(SaveText(form: form).name("other", Sample.save()) == "named other 3f2a00000000")
    #expect(
      SaveText(form: form).name("other", Sample.save(replaced: Sample.otherID))
        == "named other 3f2a00000000 (was bbbb00000000)")
  }

  @Test func aRestoreIsOneLineAndSaysHowToGoBack() {
    let text = RestoreText(form: form)
    let summary = Sample.restore(guard: Sample.snapshot(name: nil))
    #expect(
      text.summary(summary, revision: "before-upgrade")
        == "restored before-upgrade 3f2a00000000: 3 created, 1 removed; 4.0 KiB written")
    #expect(
      text.guard(summary)
        == "what was there is saved as 3f2a00000000; to go back: memento restore 3f2a00000000")
    #expect(text.guard(Sample.restore()) == nil)
  }

  @Test func aSnapshotIsCalledAsTheUserCalledIt() {
    let text = RestoreText(form: form)
    let summary = Sample.restore(created: 0, removed: 0)
    #expect(text.summary(summary, revision: "@~1") == "restored @~1 3f2a00000000: nothing to change")
    #expect(text.summary(summary, revision: "3F2A") == "restored before-upgrade 3f2a00000000: nothing to change")
    #expect(text.summary(summary, revision: nil) == "restored before-upgrade 3f2a00000000: nothing to change")
    #expect(
      text.summary(summary, revision: "x", into: BytePath("out\n"))
        == "restored x 3f2a00000000 into out\\n: nothing to change")
  }

  @Test func aPlanIsAStepALine() {
    let plan = [
      PlannedChange(action: .create, path: BytePath("a\nb"), bytes: 3),
      PlannedChange(action: .metadata, path: BytePath("c"), bytes: 0),
    ]
    let summary = Sample.restore(metadata: 1, plan: plan, isCommitted: false)
    #expect(RestoreText(form: form).plan(summary) == ["create a\\nb", "metadata c"])
    #expect(
      RestoreText(form: form).summary(summary, revision: "x")
        == "would restore x 3f2a00000000: 3 created, 1 removed, 1 with other metadata; 4.0 KiB would be written")
  }

  @Test func statesAreListedInColumns() {
    let states = [
      ListedState(name: "a", isCurrent: true, snapshot: Sample.snapshot(message: "one\ntwo")),
      ListedState(name: "exp/lr 0.1", isCurrent: false, snapshot: Sample.snapshot(kind: .value, files: 1, bytes: 9)),
    ]
    #expect(
      StateTable(form: form).lines(states) == [
        "*  a           3f2a00000000  2026-06-01 14:00:05 +0200  12 files  3.2 MiB  one …",
        "   exp/lr 0.1  3f2a00000000  2026-06-01 14:00:05 +0200     value      9 B",
      ])
  }

  @Test func recordsOfStatesAreExact() {
    let state = ListedState(name: "a", isCurrent: false, snapshot: Sample.snapshot(message: "one\ttwo\n"))
    #expect(
      StateTable(form: form).records([state]) == [
        [" ", "a", Sample.id.description, "2026-06-01T12:00:05.000000007Z", "12", "3400000", "one\ttwo\n"]
      ])
  }

  @Test func aStateThatCannotBeReadSaysWhy() {
    let states = [
      ListedState(name: "a", isCurrent: false, snapshot: Sample.snapshot(), problem: "it is\u{1B} lost"),
      ListedState(name: "b", isCurrent: false, snapshot: Sample.snapshot(message: "m")),
    ]
    let lines = StateTable(form: form).lines(states)
    #expect(lines[0].hasPrefix("   a  3f2a00000000  -") && lines[0].hasSuffix("  it is\\x1b lost"))
    #expect(lines[1].hasSuffix("  m"))
    #expect(
      StateTable(form: form).records(states)[0]
        == [" ", "a", Sample.id.description, "", "", "", "it is\u{1B} lost"])
  }

  @Test func incompleteStatesAreMarked() {
    let state = ListedState(name: "a", isCurrent: false, snapshot: Sample.snapshot(message: "m", isComplete: false))
    #expect(StateTable(form: form).lines([state]).first?.hasSuffix("  (incomplete) m") == true)
  }

  @Test func historyHasItsMessagesBelow() {
    let entries = [
      LogEntry(
        operation: .restore, time: Sample.time, isCurrent: true, names: ["a", "b"],
        snapshot: Sample.snapshot(message: "one\n\ntwo\u{1B}\n"),
        counts: ChangeCounts(added: 3, modified: 2, removed: 1)),
      LogEntry(operation: .save, time: Sample.time, isCurrent: false, names: [], snapshot: Sample.snapshot()),
    ]
    #expect(
      LogText(form: form).lines(entries) == [
        "*  3f2a00000000  restore  2026-06-01 14:00:05 +0200  ada@box  +3 ~2 -1  a, b",
        "    one", "", "    two\\x1b",
        "   3f2a00000000  save     2026-06-01 14:00:05 +0200  ada@box  +? ~? -?",
      ])
    #expect(
      LogText(form: form).records(entries)[0] == [
        "*", "restore", Sample.id.description, "a:b", "2026-06-01T12:00:05.000000007Z", "ada", "box", "3", "2", "1",
        "one\n\ntwo\u{1B}\n",
      ])
  }

  @Test func aDeletedNameCanBeTypedAgain() {
    let state = DeletedState(name: "lr 0.1", snapshot: Sample.id)
    #expect(
      StoreText.deleted(state, isDryRun: false, form: form)
        == "deleted lr 0.1 (was 3f2a00000000); name it again with: memento save 'lr 0.1' --from 3f2a00000000")
    #expect(StoreText.deleted(state, isDryRun: true, form: form) == "would delete lr 0.1 (is 3f2a00000000)")
  }

  @Test func garbageIsSummedUp() {
    var summary = GarbageSummary(
      packsRemoved: 1, packsRewritten: 2, blobsRemoved: 120, bytesFreed: 1_258_291, bytesKept: 5 << 20,
      isCommitted: true)
    #expect(
      GarbageText.total(summary)
        == "freed 1.2 MiB: 1 pack removed, 2 rewritten, 120 blobs dropped; 5.0 MiB kept")
    summary.isCommitted = false
    summary.rewriteThreshold = 20
    #expect(
      GarbageText.total(summary)
        == "would free 1.2 MiB: 1 pack removed, 2 rewritten (each with 20% or more that is not needed, or small), "
        + "120 blobs dropped; 5.0 MiB would be kept")
    summary = GarbageSummary(
      packsRemoved: 0, packsRewritten: 0, blobsRemoved: 0, bytesFreed: 0, bytesKept: 0, isCommitted: true)
    #expect(GarbageText.total(summary) == "nothing to free; 0 B kept")
    summary.bytesKept = 4 << 20
    summary.space.named = 3 << 20
    summary.space.trash = 1 << 20
    #expect(
      GarbageText.total(summary)
        == "nothing to free; 4.0 MiB kept: 3.0 MiB by names and the position, 1.0 MiB by the trash")
  }

  @Test func whatGCDropsAndKeepsIsNamed() {
    var summary = GarbageSummary(
      packsRemoved: 1, packsRewritten: 2, blobsRemoved: 3, bytesFreed: 4, bytesKept: 6 << 20, isCommitted: true)
    summary.unnamedAge = 30 * 86400
    summary.budget = 5 << 20
    summary.packsNotRewritten = 1
    summary.stepsDropped = 2
    func gone(_ reason: LossReason, _ names: [String] = []) -> DroppedSnapshot {
      DroppedSnapshot(id: Sample.id, names: names, reason: reason, age: 40 * 86400, bytes: 1 << 20)
    }
    summary.dropped = [gone(.overBudget), gone(.unnamed), gone(.unnamed), gone(.deleted, ["v"])]
    func held(_ reason: LossReason, _ names: [String], _ until: SnapshotTime?) -> HeldSnapshot {
      HeldSnapshot(id: Sample.id, names: names, reason: reason, age: 7200, until: until, bytes: 1 << 20, isWhole: true)
    }
    summary.held = [held(.unnamed, [], nil)]
    for number in (1...5).reversed() {
      summary.held.append(held(.deleted, ["big\(number)"], SnapshotTime(seconds: 1_796_428_800, nanoseconds: 0)))
    }
    #expect(
      GarbageText.lines(summary, form: form).dropFirst() == [
        "dropped 1 unnamed snapshot to stay within 5.0 MiB, 1.0 MiB",
        "dropped 2 unnamed snapshots older than 30d, 2.0 MiB", "dropped v: deleted 40d ago, 1.0 MiB",
        "dropped the 2 oldest steps of the timeline, for undo",
        "kept 1 unnamed snapshot older than the timeline, 1.0 MiB",
        "kept big1 … big5 until 2026-12-05: deleted 2h ago, 5.0 MiB", "1 pack not rewritten: the disk is full",
        "more than 5.0 MiB: named states and the position are never dropped",
      ])
  }

  @Test func damageIsSaidInWords() {
    let damage = VerifyReport.Damage(message: "2 chunks are lost", states: ["a", "b"], path: BytePath("sub/x"))
    var report = VerifyReport(packs: 1, blobs: 3, snapshots: 2, bytesRead: 2048, damage: [])
    #expect(
      StoreText.verified(report, options: VerifyOptions()) == "checked 1 pack, 3 blobs and 2 snapshots: no damage")
    report.damage = [damage]
    #expect(
      StoreText.verified(report, options: VerifyOptions(readPercent: 100))
        == "checked 1 pack, 3 blobs and 2 snapshots, every byte of 2.0 KiB: 1 thing is damaged")
    #expect(StoreText.damage([damage]) == ["sub/x: 2 chunks are lost (in the states a, b)"])
    #expect(
      StoreText.damage([VerifyReport.Damage(message: "pack x is gone", states: ["a"], path: nil)])
        == ["pack x is gone (in the state a)"])
    #expect(
      StoreText.damage([VerifyReport.Damage(message: "pack x is gone", states: [], path: nil)]) == ["pack x is gone"])
  }

  @Test func pathsAreSaidOnceAndThenTheStates() {
    func hurt(_ path: String, _ states: [String], _ snapshots: Int = 0) -> VerifyReport.Damage {
      VerifyReport.Damage(
        message: "is lost", states: states, path: BytePath(path),
        snapshots: [SnapshotID](repeating: Sample.id, count: snapshots))
    }
    let states = (0..<20).map { "s\($0)" }
    let id = Sample.id.short
    #expect(
      StoreText.damage([
        hurt("a", states), hurt("b", states), hurt("c", [], 1), hurt("d", ["x"], 7), hurt("e", ["x"], 7),
      ])
        == [
          "a: is lost", "b: is lost", "  in the states \(states.joined(separator: ", "))",
          "c: is lost (in the snapshot \(id))", "d: is lost", "e: is lost",
          "  in the state x and the snapshots \([id, id, id, id, id].joined(separator: ", ")) and 2 more",
        ])
  }

  @Test func verboseShowsWholeIDs() {
    #expect(TextForm(showsFullIDs: true).id(Sample.id) == Sample.id.description)
  }
}
