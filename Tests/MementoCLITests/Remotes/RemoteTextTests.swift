import Testing

@testable import MementoCLI
@testable import MementoKit

/// The lines and documents of push, fetch, pull, clone and remote.
@Suite struct RemoteTextTests {
  private let ids = [Sample.id, Sample.otherID]

  private func move(
    _ kind: RemoteMove.Kind, _ name: String, before: SnapshotID? = nil, other: String? = nil
  ) -> RemoteMove {
    RemoteMove(kind: kind, name: name, snapshot: ids[0], before: before, otherName: other)
  }

  private func push(_ moves: [RemoteMove], isCommitted: Bool = true, sent: UInt64 = 41 << 20) -> PushSummary {
    PushSummary(
      remote: "origin", moves: moves, unchanged: 2, blobs: 9, rawBytes: 90, sentBytes: sent, packs: 1,
      isCommitted: isCommitted)
  }

  private func fetch(_ moves: [RemoteMove], isCommitted: Bool = true, received: UInt64 = 1024) -> FetchSummary {
    FetchSummary(
      remote: "origin", moves: moves, names: 12, blobs: 9, rawBytes: 90, receivedBytes: received,
      isCommitted: isCommitted)
  }

  private var text: TransferText {
    let theirs = RemoteState(
      name: "origin/big1@laptop", snapshot: ids[1], host: "laptop", time: Sample.time, isLocal: false)
    return TransferText(form: TextForm(), states: [theirs])
  }

  @Test func aPush() {
    let short = (ids[0].short, ids[1].short)
    #expect(text.pushed(push([move(.created, "a")])) == ["pushed a to origin: created; 41.0 MiB sent"])
    #expect(
      text.pushed(push([move(.created, "a"), move(.created, "b"), move(.moved, "c", before: ids[1])])) == [
        "created a \(short.0)", "created b \(short.0)", "moved c \(short.0) (was \(short.1))",
        "pushed 3 states to origin: 2 created, 1 moved; 41.0 MiB sent",
      ])
    #expect(text.pushed(push([], sent: 0)) == ["nothing to push to origin: 2 states unchanged"])
    // The timeline has no names.
    var timeline = push([], sent: 10)
    timeline.movesPosition = true
    #expect(text.pushed(timeline) == ["pushed where the folder is to origin: 2 states unchanged; 10 B sent"])
    timeline.isCommitted = false
    #expect(
      text.pushed(timeline) == ["would push where the folder is to origin: 2 states unchanged; 10 B would be sent"])
    #expect(
      text.pushed(push([move(.created, "a")], isCommitted: false))
        == ["would push a to origin: created; about 41.0 MiB would be sent"])
    let many = (0..<30).map { move(.created, "s\($0)") }
    #expect(text.pushed(push(many)).count == 22)
    #expect(text.pushed(push(many))[20] == "and 10 more; -v lists all")
    #expect(TransferText(form: TextForm(showsFullIDs: true)).pushed(push(many)).count == 31)
  }

  @Test func aConflictIsSaidPlainly() {
    let moves = [move(.conflict, "big1", before: ids[1], other: "big1@laptop")]
    #expect(
      text.pushed(push(moves)) == [
        "big1 was also moved by laptop: that one is origin/big1@laptop",
        "pushed big1 to origin: 1 in conflict; 41.0 MiB sent",
      ])
    #expect(
      text.settlings(moves, of: "origin") == [
        "to keep this one: memento delete origin/big1@laptop; to take the other: "
          + "memento save big1 --from origin/big1@laptop, then memento push"
      ])
    // The other value has the name itself: to delete that would delete both.
    #expect(
      text.settlings([move(.conflict, "big1", other: "big1")], of: "origin") == [
        "to keep this one: memento pull origin, then memento push origin big1; to take the other: "
          + "memento save big1 --from origin/big1, then memento push"
      ])
    let unknown = [move(.conflict, "big2", other: "big2@box")]
    #expect(text.pushed(push(unknown))[0] == "big2 was also moved by another machine: that one is origin/big2@box")
    #expect(
      text.pulled(fetch([move(.conflict, "big1")]))[0]
        == "big1 was also moved by another machine: that one is origin/big1")
    let both = fetch([move(.moved, "big1", before: ids[1]), move(.conflict, "big1", other: "big1@laptop")])
    #expect(
      text.pulled(both) == [
        "big1 was also moved by laptop: that one is origin/big1@laptop",
        "pulled big1 from origin: 1 moved, 1 in conflict; 1.0 KiB received",
      ])
  }

  @Test func whatWasDeletedThere() {
    #expect(
      text.pushed(push([move(.deletedThere, "old")], sent: 0)) == [
        "old was deleted from origin, and is not brought back until it moves here",
        "nothing to push to origin: 2 states unchanged",
      ])
    #expect(
      text.pulled(fetch([move(.deletedThere, "old")], received: 0)) == [
        "old was deleted from origin, and is kept here", "nothing new in origin, which has 12 states",
      ])
  }

  @Test func aFetchAndAPull() {
    #expect(text.fetched(fetch([])) == ["origin has 12 states: nothing new"])
    #expect(
      text.fetched(fetch([move(.created, "a")])) == [
        "created a \(ids[0].short)", "origin has 12 states: 1 created since the last look",
      ])
    #expect(text.pulled(fetch([move(.created, "a")])) == ["pulled a from origin: created; 1.0 KiB received"])
    #expect(
      text.pulled(fetch([move(.created, "a")], isCommitted: false))
        == ["would pull a from origin: created; 1.0 KiB would be received"])
    #expect(
      text.cloned(CloneSummary(folder: "/a/b", fetch: fetch([]), restore: nil), into: "b")
        == "cloned 12 states into b; 1.0 KiB received")
  }

  private func remote(_ name: String = "nas", isSealed: Bool = true, isConfirmed: Bool = true) throws -> Remote {
    Remote(
      name: name, url: try RemoteURL("file:///mnt/a"), repository: nil, isSealed: isSealed, isConfirmed: isConfirmed,
      lastContact: nil)
  }

  @Test func remotes() throws {
    let text = RemoteText(form: TextForm())
    #expect(
      text.lines([try remote(), try remote("b", isSealed: false, isConfirmed: false)]) == [
        "nas  file:///mnt/a  sealed  never reached", "b    file:///mnt/a  plain   never reached  (not confirmed here)",
      ])
    #expect(text.records([try remote()]) == [["nas", "file:///mnt/a", "sealed", "confirmed", ""]])
    var summary = RemoteAddSummary(remote: try remote(), isNew: true, recoveryKey: "KEY-1", names: 0)
    #expect(text.added(summary, isDryRun: false) == "added nas: file:///mnt/a, new and sealed")
    #expect(RemoteText.recoveryKey("KEY-1", of: "nas").contains("\n\n    KEY-1\n\n"))
    // What is written somewhere does not have the key.
    #expect(!JSONText.line(RemoteDocument(summary, dryRun: false)).contains("KEY-1"))
    summary.isNew = false
    summary.names = 3
    #expect(text.added(summary, isDryRun: true) == "would add nas: file:///mnt/a, sealed, with 3 states")
    #expect(text.checked(summary) == "nas can be reached: file:///mnt/a, sealed, with 3 states")
    #expect(text.removed(try remote(), isDryRun: false) == "removed nas; what is at file:///mnt/a stays there")
  }

  @Test func documents() throws {
    let id = Sample.id.description
    #expect(
      JSONText.line(PushDocument(push([move(.conflict, "a", other: "a@b")])))
        == "{\"blobs\":9,\"dry_run\":false,\"moves\":[{\"before\":null,\"id\":\"\(id)\",\"kind\":\"conflict\","
        + "\"name\":\"a\",\"other_name\":\"a@b\"}],\"packs\":1,\"position_moved\":false,\"raw_bytes\":90,\"remote\":\"origin\","
        + "\"schema\":1,\"sent_bytes\":42991616,\"unchanged\":2}\n")
    #expect(
      JSONText.line(FetchDocument(fetch([])))
        == "{\"blobs\":9,\"dry_run\":false,\"moves\":[],\"names\":12,\"raw_bytes\":90,\"received_bytes\":1024,"
        + "\"remote\":\"origin\",\"schema\":1}\n")
    #expect(
      JSONText.line(RemotesDocument([try remote()]))
        == "{\"remotes\":[{\"confirmed\":true,\"engine\":\"file\",\"last_contact\":null,\"name\":\"nas\","
        + "\"repository\":null,\"sealed\":true,\"url\":\"file:///mnt/a\"}],\"schema\":1}\n")
    let state = RemoteState(name: "nas/x", snapshot: Sample.id, host: "box", time: Sample.time, isLocal: true)
    #expect(
      JSONText.line(RemoteStatesDocument("nas", [state])).contains(
        "{\"current\":false,\"host\":\"box\",\"id\":\"\(id)\",\"local\":true,\"name\":\"nas/x\",\"snapshot\":null,"))
  }

  @Test func theProgressLineKnowsWhatIsLeft() {
    let line = ProgressLine(phase: .pushing, files: 0, bytes: 1 << 30, seconds: 10, expected: 4 << 30)
    #expect(line.text(width: 80) == "pushing  1.0 GiB of 4.0 GiB  102.4 MiB/s  30s left")
    var early = line
    early.seconds = 1
    #expect(!early.text(width: 80).contains("left"))
    var late = line
    late.bytes = 5 << 30
    #expect(late.text(width: 80) == "pushing  5.0 GiB  512.0 MiB/s")
  }
}
