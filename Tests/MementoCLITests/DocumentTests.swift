import Testing

@testable import MementoCLI
@testable import MementoKit

@Suite struct DocumentTests {
  private let zeros = String(repeating: "0", count: 60)

  private func snapshotJSON(name: String = "\"before-upgrade\"", message: String = "null") -> String {
    "{\"bytes\":3400000,\"complete\":true,\"files\":12,\"host\":\"box\",\"id\":\"3f2a\(zeros)\",\"kind\":\"tree\","
      + "\"message\":\(message),\"name\":\(name),\"parent\":null,\"time\":\"2026-06-01T12:00:05.000000007Z\","
      + "\"user\":\"ada\"}"
  }

  @Test func aSnapshotHasNullsWhereThereIsNothing() {
    #expect(JSONText.line(SnapshotDocument(Sample.snapshot(name: nil))) == snapshotJSON(name: "null") + "\n")
    #expect(
      JSONText.line(SnapshotDocument(Sample.snapshot(message: "a/b\n\"")))
        == snapshotJSON(message: "\"a/b\\n\\\"\"") + "\n")
    var snapshot = Sample.snapshot()
    snapshot.parent = Sample.otherID
    #expect(JSONText.line(SnapshotDocument(snapshot)).contains("\"parent\":\"bbbb\(zeros)\""))
  }

  @Test func aSave() {
    let problems = [
      Problem(path: BytePath("a"), message: "cannot be read: Permission denied"),
      Problem(path: BytePath([0x78, 0xFF]), message: "is a socket", isNote: true),
    ]
    #expect(
      JSONText.line(SaveDocument(Sample.save(problems: problems), folder: "/work", storeCreated: true))
        == "{\"added\":3,\"bytes_read\":2048,\"bytes_stored\":1258291,\"dry_run\":false,\"duration_ms\":0,\"folder\":\"/work\",\"modified\":2,"
        + "\"problems\":[{\"message\":\"cannot be read: Permission denied\",\"note\":false,\"path\":\"a\"},"
        + "{\"message\":\"is a socket\",\"note\":true,\"path\":\"x\u{FFFD}\",\"path_b64\":\"eP8=\"}],"
        + "\"removed\":1,\"replaced\":null,\"schema\":1,\"snapshot\":\(snapshotJSON()),\"store_created\":true,"
        + "\"unchanged\":false,\"undo\":null}\n")
  }

  @Test func aRestore() {
    let summary = Sample.restore(guard: Sample.snapshot(name: nil), rescued: [BytePath("r")])
    #expect(
      JSONText.line(RestoreDocument(summary, folder: "/work"))
        == "{\"bytes_shared\":0,\"bytes_written\":4096,\"created\":3,\"dry_run\":false,\"folder\":\"/work\","
        + "\"folders\":{\"created\":0,\"metadata\":0,\"removed\":0,\"times\":0},\"guard\":\"3f2a\(zeros)\",\"metadata\":0,"
        + "\"problems\":[],\"removed\":1,\"replaced\":0,\"rescued\":[{\"path\":\"r\"}],\"schema\":1,"
        + "\"snapshot\":\(snapshotJSON())}\n")
  }

  @Test func aPlannedRestore() {
    let plan = [PlannedChange(action: .replace, path: BytePath("a"), bytes: 3)]
    let text = JSONText.line(RestoreDocument(Sample.restore(plan: plan, isCommitted: false), folder: nil))
    #expect(text.contains("\"dry_run\":true,\"folders\":"))
    #expect(text.contains("},\"guard\":null,"))
    #expect(text.contains("\"plan\":[{\"action\":\"replace\",\"bytes\":3,\"path\":\"a\"}]"))
  }

  @Test func states() {
    let state = ListedState(name: "exp/lr 0.1", isCurrent: true, snapshot: Sample.snapshot())
    #expect(
      JSONText.line(ListDocument([state]))
        == "{\"schema\":1,\"states\":[{\"current\":true,\"name\":\"exp/lr 0.1\",\"snapshot\":\(snapshotJSON())}]}\n")
    #expect(JSONText.line(ListDocument([])) == "{\"schema\":1,\"states\":[]}\n")
    let unread = ListedState(name: "a", isCurrent: false, snapshot: Sample.snapshot(), problem: "it is lost")
    #expect(
      JSONText.line(ListDocument([unread]))
        == "{\"schema\":1,\"states\":[{\"current\":false,\"id\":\"\(Sample.id)\",\"name\":\"a\","
        + "\"problem\":\"it is lost\",\"snapshot\":null}]}\n")
  }

  @Test func history() {
    let entry = LogEntry(
      operation: .guarded, time: Sample.time, isCurrent: false, names: ["a"], snapshot: Sample.snapshot(),
      counts: ChangeCounts(added: 3, modified: 2, removed: 1))
    #expect(
      JSONText.line(LogDocument([entry]))
        == "{\"entries\":[{\"added\":3,\"current\":false,\"modified\":2,\"names\":[\"a\"],\"op\":\"guard\","
        + "\"removed\":1,\"snapshot\":\(snapshotJSON()),\"taken_back\":false,"
        + "\"time\":\"2026-06-01T12:00:05.000000007Z\"}],\"schema\":1}\n")
  }

  @Test func deletedNames() {
    #expect(
      JSONText.line(DeleteDocument([DeletedState(name: "a", snapshot: Sample.id)], dryRun: false))
        == "{\"deleted\":[{\"id\":\"3f2a\(zeros)\",\"name\":\"a\"}],\"dry_run\":false,\"schema\":1}\n")
  }

  @Test func aStore() {
    #expect(
      JSONText.line(InitDocument(folder: BytePath("/a"), store: BytePath([0x2F, 0xFF])))
        == "{\"folder\":\"/a\",\"schema\":1,\"store\":\"/\u{FFFD}\",\"store_b64\":\"L/8=\"}\n")
  }

  @Test func garbage() {
    let summary = GarbageSummary(
      packsRemoved: 1, packsRewritten: 2, blobsRemoved: 3, bytesFreed: 4, bytesKept: 5, isCommitted: true)
    #expect(
      JSONText.line(GarbageDocument(summary))
        == "{\"blobs_removed\":3,\"bytes_freed\":4,\"bytes_kept\":5,\"dropped\":[],\"dry_run\":false,\"held\":[],"
        + "\"max_size\":null,\"packs_not_rewritten\":0,\"packs_postponed\":0,\"packs_removed\":1,\"packs_rewritten\":2,"
        + "\"rewrite_threshold\":0,\"schema\":1,\"space\":{\"named\":0,\"trash\":0,\"unnamed\":0,\"unneeded\":0},"
        + "\"steps_dropped\":0,\"versions_sorted\":0}\n")
  }

  @Test func damage() {
    let damage = VerifyReport.Damage(message: "is lost", states: ["a"], path: nil)
    let report = VerifyReport(packs: 1, blobs: 2, snapshots: 3, bytesRead: 4, damage: [damage])
    #expect(
      JSONText.line(VerifyDocument(report, repair: nil))
        == "{\"blobs\":2,\"bytes_read\":4,\"damage\":[{\"message\":\"is lost\",\"path\":null,\"states\":[\"a\"]}],"
        + "\"healed\":[],\"hurt\":[{\"paths\":[{\"message\":\"is lost\",\"path\":null}],\"snapshots\":[],\"states\":[\"a\"]}],"
        + "\"last_verified\":null,\"packs\":1,\"packs_without_parity\":0,\"schema\":1,\"snapshots\":3}\n")
    let repair = RepairSummary(
      damageBefore: 5, packsSetAside: ["x.pack"], partsPutBack: [RepairedPart(path: "config", source: .backup)],
      wentBackToPreviousNames: true, report: report)
    #expect(
      JSONText.line(VerifyDocument(report, repair: repair)).contains(
        "\"repair\":{\"damage_before\":5,\"packs_healed\":[],\"packs_set_aside\":[\"x.pack\"],\"parity_made\":0,"
          + "\"parts_put_back\":[{\"path\":\"config\",\"source\":\"backup\"}],\"went_back_to_previous_names\":true}"))
  }

  @Test func damageIsGroupedByTheStatesThatHaveIt() {
    func hurt(_ path: String, _ states: [String]) -> VerifyReport.Damage {
      VerifyReport.Damage(message: "is lost", states: states, path: BytePath(path))
    }
    let index = VerifyReport.Damage(message: "the index", states: [], path: nil, isDerived: true)
    let damage = [index, hurt("a", ["x", "y"]), hurt("b", ["x", "y"]), hurt("c", ["z"])]
    let document = VerifyDocument(
      VerifyReport(packs: 1, blobs: 2, snapshots: 3, bytesRead: 4, damage: damage), repair: nil)
    #expect(document.damage.map(\.states) == damage.map(\.states))
    #expect(document.damage.map(\.derived) == [true, nil, nil, nil])
    #expect(document.hurt.map(\.states) == [["x", "y"], ["z"]])
    #expect(document.hurt.map { $0.paths.map(\.path.value) } == [["a", "b"], ["c"]])
    #expect(document.damageOmitted == nil)
  }

  @Test func anError() {
    let error = RepositoryError(
      .noSuchState, "state \"a\" does not exist", reason: .unknownState, path: BytePath([0xFF]))
    #expect(
      JSONText.line(ErrorDocument(ErrorReport(error)))
        == "{\"advice\":\"`memento list` shows the states\",\"code\":12,\"id\":\"no-such-state\",\"message\":\"state \\\"a\\\" does not exist\","
        + "\"path\":\"\u{FFFD}\",\"path_b64\":\"/w==\",\"type\":\"error\"}\n")
  }
}
