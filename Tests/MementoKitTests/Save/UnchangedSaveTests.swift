// A save of an unchanged folder neither adds a step nor drops what can be redone.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct UnchangedSaveTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "1".bytes)
    try shop.save("one")
    try shop.folder.write("a".bytes, "22".bytes)
    try shop.save("two")
  }

  private var refs: Refs { get throws { try shop.repository.readRefs() } }

  @Test func anUnnamedSaveChangesNothing() throws {
    let before = try refs
    let same = try shop.save()
    #expect(same.snapshot.id.object == before.timeline.current?.snapshot)
    #expect(same.changes == ChangeCounts() && same.isCommitted && same.bytesStored == 0)
    #expect(try refs == before)
    try shop.folder.setMode("a".bytes, 0o600)
    #expect(try shop.save().snapshot.id != same.snapshot.id)
    #expect(try refs.timeline.steps.count == 3)
  }

  /// As cron does it: there are more saves than the timeline has steps.
  @Test func aThousandSavesKeepTheTimeline() throws {
    let steps = try refs.timeline.steps
    for number in 0...FolderTimeline.limit {
      try shop.save(number % 100 == 7 ? "nightly" : nil) { if number % 100 == 8 { $0.message = "tick \(number)" } }
    }
    let now = try refs.timeline
    #expect(now.steps.count == steps.count && now.steps.first == steps.first)
    try shop.repository.undo()
    #expect(try shop.repository.status().names == ["one"])
  }

  @Test func whatCanBeRedoneStays() throws {
    let two = try shop.state
    try shop.repository.undo()
    try shop.save()
    try shop.save("kept") { $0.message = "why" }
    #expect(try refs.timeline.steps.count == 2)
    try shop.repository.redo()
    #expect(try shop.state.differences(from: two) == [])
    try shop.repository.undo()
    #expect(Set(try shop.repository.status().names) == ["kept"])
  }

  /// The earlier record keeps its name or remains in the history of that name. Its message stays, too.
  @Test func whatTheRecordBeforeSaidStays() throws {
    let said = try shop.save { $0.message = "important" }.snapshot
    #expect(said.message == "important")
    let first = try shop.save("x") { $0.message = "first" }.snapshot
    let second = try shop.save("x") { $0.message = "second" }.snapshot
    try shop.save("y")
    #expect(try refs.timeline.steps.count == 2)
    _ = try shop.repository.collectGarbage()
    try shop.storeFolder.remove("journal".bytes)
    #expect(try shop.repository.snapshot("x") == second)
    #expect(try shop.repository.snapshot("x~1") == first)
    #expect(try shop.repository.snapshot(Revision(said.id.description)).message == "important")
    let two = try shop.repository.snapshot("two").id
    #expect(Set(try shop.repository.states().filter(\.isCurrent).map(\.name)) == ["y"])
    #expect(try shop.repository.countChanges(from: two, to: second.id) == ChangeCounts())
  }

  @Test func aDryRunSaysTheSame() throws {
    let before = try refs
    let planned = try shop.save { $0.isDryRun = true }
    #expect(!planned.isCommitted && planned.changes.isEmpty)
    #expect(planned.snapshot.id.object == before.timeline.current?.snapshot)
    #expect(try refs == before)
  }

  /// A file that cannot be read makes each save incomplete. That alone does not make a new snapshot.
  @Test(.enabled(if: !isSuperuser, "skipped: root reads every file")) func thatTheSamePathsAreMissingIsNoChange() throws
  {
    try shop.folder.write("closed".bytes, "c".bytes, mode: 0)
    let first = try shop.save().snapshot
    #expect(!first.isComplete)
    #expect(try shop.save().snapshot.id == first.id)
    try shop.folder.write("closed too".bytes, "c".bytes, mode: 0)
    #expect(try shop.save().snapshot.id != first.id)
  }
}
