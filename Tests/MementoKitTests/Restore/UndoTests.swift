// Undo and redo for a folder behave as in an editor.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct UndoTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for number in 1...4 {
      try shop.folder.write("a".bytes, Content.random(number * 1000, seed: UInt64(number)))
      try shop.folder.write("only \(number)".bytes, "\(number)".bytes)
      if number > 1 { try shop.folder.remove("only \(number - 1)".bytes) }
      try shop.save("s\(number)")
    }
  }

  /// Each move runs as a process of its own: back and forth, by one step and by several.
  @Test func acrossProcesses() throws {
    var states = [try shop.state]
    for _ in 0..<3 {
      try shop.reopened().undo()
      states.append(try shop.state)
    }
    #expect(code { try shop.reopened().undo() } == .timelineEnd)
    for state in states.dropLast().reversed() {
      try shop.reopened().redo()
      #expect(try shop.state.differences(from: state) == [])
    }
    #expect(code { try shop.reopened().redo() } == .timelineEnd)
    for count in 1...3 {
      let undone = try shop.reopened().undo(count)
      #expect(undone.steps.map(\.name) == (0..<count).map { "s\(4 - $0)" })
      #expect(undone.names == ["s\(4 - count)"])
      #expect(try shop.state.differences(from: states[count]) == [])
      let redone = try shop.reopened().redo(count)
      #expect(redone.steps.map(\.name) == (0..<count).reversed().map { "s\(4 - $0)" })
      #expect(try shop.state.differences(from: states[0]) == [])
    }
  }

  @Test func atEitherEndNothingIsTouched() throws {
    let refs = try shop.storeFolder.read("refs".bytes)
    let state = try shop.state
    #expect(code { try shop.repository.redo() } == .timelineEnd)
    #expect(code { try shop.repository.undo(4) } == .timelineEnd)
    #expect(code { try shop.repository.undo(Int.max) } == .timelineEnd)
    #expect(code { try shop.repository.redo(Int.max) } == .timelineEnd)
    #expect(code { try shop.repository.undo(0) } == .invalidArgument)
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
    #expect(try shop.state.touched(since: state) == [])
    let empty = try RepositoryFixture()
    #expect(code { try empty.repository.undo() } == .timelineEnd)
    #expect(code { try empty.repository.redo() } == .timelineEnd)
  }

  @Test func unsavedChangesAtTheFirstStepCanBeUndone() throws {
    try shop.repository.undo(3)
    let first = try shop.state
    try shop.folder.write("new".bytes, "n".bytes)
    let edited = try shop.state
    try shop.repository.undo()
    #expect(try shop.state.differences(from: first) == [])
    try shop.reopened().redo()
    #expect(try shop.state.differences(from: edited) == [])
    #expect(code { try shop.repository.redo() } == .timelineEnd)
  }

  /// Unsaved changes become a step. It replaces the steps that could be redone, which `log` still lists.
  @Test func unsavedChangesAfterAnUndo() throws {
    try shop.repository.undo(2)
    let two = try shop.state
    try shop.folder.write("a".bytes, "edited".bytes)
    let edited = try shop.state
    // A redo would lose the edit.
    #expect(code { try shop.repository.redo() } == .timelineEnd)
    #expect(try shop.state.touched(since: edited) == [])
    #expect(try shop.repository.readRefs().timeline.steps.count == 4)
    try shop.repository.undo()
    #expect(try shop.state.differences(from: two) == [])
    try shop.repository.redo()
    #expect(try shop.state.differences(from: edited) == [])
    #expect(code { try shop.repository.redo() } == .timelineEnd)
    var all = LogOptions()
    all.showsAll = true
    #expect(try shop.repository.log(all).filter { $0.marks == [.undone] }.map(\.names) == [["s4"], ["s3"]])
  }

  @Test func aSaveDropsWhatCouldBeRedone() throws {
    try shop.repository.undo(2)
    _ = try shop.repository.delete(["s4"])
    try shop.folder.write("b".bytes, "b".bytes)
    try shop.save("other")
    #expect(code { try shop.reopened().redo() } == .timelineEnd)
    #expect(try shop.repository.undo().names == ["s2"])
    #expect(try shop.repository.redo().names == ["other"])
    var all = LogOptions()
    all.showsAll = true
    let left = try shop.reopened().log(all).filter { $0.marks.contains(.undone) }
    #expect(left.map(\.snapshot.name) == ["s4", "s3"])
    #expect(left.map(\.deletedNames) == [["s4"], []])
    // It can be restored until gc removes it.
    let four = try #require(left.first)
    try shop.restore(Revision(four.snapshot.id.description))
    #expect(try shop.folder.names().contains("only 4".bytes))
    try shop.repository.undo()
    try shop.folder.write("b".bytes, "changed".bytes)
    try shop.save("again") { $0.message = "drops the restore" }
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(try shop.reopened().log(all).filter { !$0.marks.isEmpty }.map(\.names) == [["s3"]])
    #expect(code { try shop.restore(Revision(four.snapshot.id.description)) } == .noSuchState)
  }

  /// A save without changes replaces the step at the position, so undo goes to the step before.
  @Test func aSaveWithoutChangesIsNoFurtherStep() throws {
    try shop.save("same")
    try shop.repository.undo()
    #expect(try shop.repository.status().names == ["s3"])
    try shop.repository.redo()
    #expect(try shop.repository.status().names == ["same"])
  }

  @Test func undoGivesBackWhatARestoreReplaced() throws {
    try shop.folder.write("a".bytes, "unsaved".bytes)
    try shop.folder.write("extra".bytes, "extra".bytes)
    try shop.folder.setMode("only 4".bytes, 0o600)
    let before = try shop.state
    let restored = try shop.restore("s1")
    #expect(restored.guard != nil)
    let one = try shop.state
    let undone = try shop.reopened().undo()
    #expect(undone.steps.map(\.operation) == [.restore])
    #expect(try shop.state.differences(from: before) == [])
    try shop.reopened().redo()
    #expect(try shop.state.differences(from: one) == [])
    // The same for a restore of paths.
    try shop.restore("s3") { $0.paths = [BytePath("only 3")] }
    try shop.reopened().undo()
    #expect(try shop.state.differences(from: one) == [])
  }

  @Test func undoAfterTheNameWasDeletedOrMoved() throws {
    _ = try shop.repository.delete(["s3"])
    try shop.repository.undo()
    #expect(try shop.folder.names().contains("only 3".bytes))
    #expect(try shop.repository.status().names == [])
    _ = try shop.repository.name("s1", as: "s2")
    let undone = try shop.repository.undo()
    #expect(undone.restore.snapshot.name == "s2")
    #expect(undone.names == [])
    #expect(try shop.folder.names().contains("only 2".bytes))
  }

  /// gc keeps every step of the timeline, also the undone ones.
  @Test func afterGarbageCollection() throws {
    var states = [try shop.state]
    _ = try shop.repository.delete(["s1", "s2", "s3", "s4"])
    for _ in 0..<3 {
      try shop.reopened().undo()
      states.append(try shop.state)
      _ = try shop.reopened().collectGarbage(emptyingTrash: true)
    }
    for state in states.dropLast().reversed() {
      try shop.reopened().redo()
      _ = try shop.reopened().collectGarbage(emptyingTrash: true)
      #expect(try shop.state.differences(from: state) == [])
    }
    #expect(try shop.repository.verify(readData: true).damage == [])
  }

  @Test func aDryRunPlansTheSame() throws {
    try shop.folder.write("a".bytes, "unsaved".bytes)
    let store = try shop.storeFolder.read("refs".bytes)
    let packs = try shop.storeFolder.folder("packs").names()
    let state = try shop.state
    let plan = try shop.repository.undo(2, isDryRun: true)
    #expect(!plan.restore.isCommitted)
    #expect(plan.steps.map(\.isUnsaved) == [true, false])
    #expect(try shop.storeFolder.read("refs".bytes) == store)
    #expect(try shop.storeFolder.folder("packs").names() == packs)
    #expect(try shop.state.touched(since: state) == [])
    let done = try shop.repository.undo(2)
    #expect(done.restore.created == plan.restore.created)
    #expect(done.restore.replaced == plan.restore.replaced)
    #expect(done.restore.removed == plan.restore.removed)
    let redo = try shop.repository.redo(isDryRun: true)
    #expect(redo.steps.map(\.name) == ["s4"])
    #expect(redo.names == ["s4"])
  }

  /// An undo leaves alone what its target could not record. That is not an unsaved change that would prevent redo.
  @Test func inAFolderWithWhatCannotBeRecorded() throws {
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.makeSocket("d/odd".bytes)
    try shop.save("socket")
    try shop.folder.remove("d/odd".bytes)
    try shop.folder.write("d/odd".bytes, "a file".bytes)
    try shop.folder.write("a".bytes, "a".bytes)
    try shop.save("file")
    let file = try shop.state
    try shop.repository.undo()
    #expect(try shop.folder.read("d/odd".bytes) == "a file".bytes)
    try shop.reopened().redo()
    #expect(try shop.state.differences(from: file) == [])
    // An edit of such a file is an unsaved change like any other.
    try shop.repository.undo()
    try shop.folder.write("d/odd".bytes, "edited".bytes)
    #expect(code { try shop.repository.redo() } == .timelineEnd)
    #expect(try shop.folder.read("d/odd".bytes) == "edited".bytes)
    try shop.folder.write("d/odd".bytes, "a file".bytes)
    try shop.folder.write("d/new".bytes, "n".bytes)
    #expect(code { try shop.repository.redo() } == .timelineEnd)
  }
}
