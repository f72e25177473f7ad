// Undo and redo move along the timeline as an editor moves along its history, and status shows where they have led.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct TimelineMoveTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "1".bytes)
    try shop.save("one")
    try shop.folder.write("a".bytes, "22".bytes)
    try shop.folder.write("b".bytes, "b".bytes)
    try shop.save("two")
    try shop.folder.remove("a".bytes)
    try shop.save("three")
  }

  @Test func walksBackAndForth() throws {
    let three = try shop.state
    let undone = try shop.repository.undo()
    #expect(undone.steps.map(\.name) == ["three"])
    #expect(undone.restore.snapshot.name == "two")
    let two = try shop.state
    #expect(two.differences(from: three) != [])
    try shop.repository.undo()
    #expect(try shop.repository.status().names == ["one"])
    #expect(code { try shop.repository.undo() } == .timelineEnd)
    let redone = try shop.repository.redo(2)
    #expect(redone.steps.map(\.name) == ["two", "three"])
    #expect(try shop.state.differences(from: three) == [])
    #expect(code { try shop.repository.redo() } == .timelineEnd)
    // Undo also works in another process.
    try shop.reopened().undo()
    #expect(try shop.state.differences(from: two) == [])
  }

  @Test func unsavedChangesAreAStep() throws {
    let three = try shop.state
    try shop.folder.write("b".bytes, "edited".bytes)
    try shop.folder.write("new".bytes, "n".bytes)
    let edited = try shop.state
    let undone = try shop.repository.undo()
    #expect(undone.steps.map(\.isUnsaved) == [true])
    #expect(undone.restore.guard != nil)
    #expect(try shop.state.differences(from: three) == [])
    try shop.repository.redo()
    #expect(try shop.state.differences(from: edited) == [])
    let far = try shop.repository.undo(3)
    #expect(far.steps.count == 3)
    #expect(try shop.repository.status().names == ["one"])
  }

  @Test func aSaveAfterAnUndoEndsWhatCouldBeRedone() throws {
    try shop.repository.undo()
    try shop.folder.write("c".bytes, "c".bytes)
    try shop.save("other")
    #expect(code { try shop.repository.redo() } == .timelineEnd)
    // The name keeps the snapshot that was undone.
    try shop.restore("three")
    #expect(try shop.repository.status().names == ["three"])
  }

  @Test func redoRefusesWhenTheFolderHasChanged() throws {
    try shop.repository.undo()
    try shop.folder.write("b".bytes, "edited".bytes)
    let edited = try shop.state
    #expect(code { try shop.repository.redo() } == .timelineEnd)
    #expect(try shop.state.differences(from: edited) == [])
  }

  @Test func undoTakesBackARestore() throws {
    try shop.folder.write("b".bytes, "unsaved".bytes)
    let before = try shop.state
    try shop.restore("one")
    try shop.repository.undo()
    #expect(try shop.state.differences(from: before) == [])
  }

  @Test(arguments: [0, 3, 100]) func refusesStepsThatAreNotThere(_ count: Int) throws {
    let before = try shop.state
    let expected: RepositoryError.Code = count == 0 ? .invalidArgument : .timelineEnd
    #expect(code { try shop.repository.undo(count) } == expected)
    #expect(try shop.state.differences(from: before) == [])
    #expect(try shop.repository.status().names == ["three"])
  }

  @Test func aDryRunOnlySays() throws {
    let refs = try shop.repository.readRefs()
    try shop.folder.write("x".bytes, "unsaved".bytes)
    let planned = try shop.repository.undo(isDryRun: true)
    #expect(!planned.restore.isCommitted)
    #expect(planned.restore.plan.map(\.action) == [.remove])
    try shop.folder.remove("x".bytes)
    #expect(try shop.repository.status().changes == [])
    #expect(try shop.repository.readRefs() == refs)
  }

  @Test func statusNamesEachKindOfChange() throws {
    try shop.folder.write("b".bytes, "edited".bytes)
    try shop.folder.write("new".bytes, "n".bytes)
    try shop.save("base")
    try shop.folder.setMode("new".bytes, 0o600)
    try shop.folder.write("added".bytes, "x".bytes)
    try shop.folder.remove("b".bytes)
    try shop.folder.makeLink("b".bytes, to: "new".bytes)
    let changes = try shop.repository.status().changes
    #expect(changes.map(\.path.lossyText) == ["added", "b", "new"])
    #expect(changes.map(\.kind) == [.added, .type, .metadata])
    try shop.folder.remove("new".bytes)
    #expect(try shop.repository.status().changes.last?.kind == .removed)
  }

  @Test func statusOfAnEmptyStoreAddsEverything() throws {
    let fresh = try RepositoryFixture()
    try fresh.folder.makeFolder("d".bytes)
    try fresh.folder.write("d/f".bytes, "x".bytes)
    let status = try fresh.repository.status()
    #expect(status.at == nil)
    #expect(status.changes == [Change(path: BytePath("d/f"), kind: .added)])
  }

  @Test func aRestoreMayFollowTheTimeline() throws {
    let two = try shop.repository.snapshot("two").id
    let steps = try shop.repository.log().count
    try shop.restore("two") { $0.followsTimeline = true }
    #expect(try shop.repository.log().count == steps)
    #expect(try shop.repository.status().at?.id == two)
    // Unsaved changes become the last step to redo.
    try shop.folder.write("b".bytes, "edited".bytes)
    let edited = try shop.state
    try shop.restore("one") { $0.followsTimeline = true }
    #expect(try shop.repository.status().names == ["one"])
    try shop.repository.redo(2)
    #expect(try shop.state.differences(from: edited) == [])
    // A snapshot that is no earlier step becomes a new step.
    try shop.restore("three") { $0.followsTimeline = true }
    #expect(try shop.repository.status().names == ["three"])
    try shop.repository.undo()
    #expect(try shop.state.differences(from: edited) == [])
  }

  /// The timeline has a limit, and the guard may drop the oldest step.
  @Test func aRestoreFollowsAFullTimeline() throws {
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      let last = refs.timeline.steps[2]
      for _ in 0..<(FolderTimeline.limit - 3) { refs.timeline.append(last) }
    }
    let target = try shop.repository.snapshot("two")
    try shop.folder.write("b".bytes, "edited".bytes)
    try shop.restore(Revision(target.id.description)) { $0.followsTimeline = true }
    let refs = try shop.repository.readRefs()
    #expect(refs.timeline.current?.snapshot == target.id.object)
    #expect(refs.timeline.position == 0)
    #expect(try shop.repository.status().changes == [])
  }

  @Test func changesAreCounted() throws {
    let ids = try ["one", "two", "three"].map { try shop.repository.snapshot($0).id }
    #expect(try shop.repository.countChanges(from: ids[0], to: ids[1]) == ChangeCounts(added: 1, modified: 1))
    #expect(try shop.repository.countChanges(from: ids[0], to: ids[2]) == ChangeCounts(added: 1, removed: 1))
    #expect(try shop.repository.countChanges(from: ids[1], to: ids[1]) == ChangeCounts())
  }
}
