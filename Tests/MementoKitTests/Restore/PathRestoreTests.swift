// A restore of paths saves and changes only these paths. Status still reports changes elsewhere. Undo and redo of such
// a restore change only these paths, too.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct PathRestoreTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try write("f", "1")
    try write("g", "1")
    try shop.folder.makeFolder("d".bytes)
    try write("d/h", "1")
    try shop.save("one")
    for name in ["f", "g", "d/h"] { try write(name, "two") }
    try shop.save("two")
  }

  private func write(_ name: String, _ text: String) throws { try shop.folder.write(name.bytes, text.bytes) }

  private func text(_ name: String) throws -> String {
    String(decoding: try shop.folder.read(name.bytes), as: UTF8.self)
  }

  private var texts: [String] { get throws { try ["f", "g", "d/h"].map { try text($0) } } }

  private var changed: [String] { get throws { try shop.repository.status().changes.map(\.path.lossyText) } }

  private var refs: Refs { get throws { try shop.repository.readRefs() } }

  @discardableResult
  private func restore(_ revision: String, _ paths: String..., discard: Bool = false) throws -> RestoreSummary {
    try shop.restore(Revision(revision)) {
      $0.paths = paths.map { BytePath($0) }
      $0.discard = discard
    }
  }

  @Test func otherEditsStayChanges() throws {
    try write("g", "edited")
    let summary = try restore("one", "f")
    #expect(summary.guard == nil && summary.replaced == 1)
    #expect(try texts == ["1", "edited", "two"])
    #expect(try changed == ["g"])
    #expect(try refs.timeline.steps.map(\.paths) == [[], [], ["f".bytes]])
    try shop.repository.undo()
    #expect(try texts == ["two", "edited", "two"])
    #expect(try changed == ["g"])
    #expect(try shop.repository.status().names == ["two"])
    try shop.repository.redo()
    #expect(try texts == ["1", "edited", "two"])
    #expect(try changed == ["g"])
    #expect(try refs.timeline.steps.count == 3)
  }

  @Test func onlyThesePathsAreGuarded() throws {
    for name in ["f", "g", "d/h"] { try write(name, "edited \(name)") }
    let summary = try restore("two", "d", "f")
    let guarded = try #require(summary.guard)
    #expect(try shop.repository.status().names == ["two"])
    #expect(try texts == ["two", "edited g", "two"])
    #expect(try changed == ["g"])
    let (copy, _) = try shop.extract(Revision(guarded.id.description), to: "copy")
    let saved = try ["f", "g", "d/h"].map { String(decoding: try copy.read($0.bytes), as: UTF8.self) }
    #expect(saved == ["edited f", "two", "edited d/h"])
    #expect(try refs.timeline.steps.map(\.paths) == [[], [], ["d".bytes, "f".bytes], ["d".bytes, "f".bytes]])
    #expect(
      try shop.repository.log().map(\.counts) == [
        ChangeCounts(modified: 2), ChangeCounts(modified: 2), ChangeCounts(modified: 3), ChangeCounts(added: 3),
      ])
    try shop.repository.undo()
    #expect(try texts == ["edited f", "edited g", "edited d/h"])
    #expect(try changed == ["g"])
    try shop.repository.undo()
    #expect(try texts == ["two", "edited g", "two"])
    #expect(try changed == ["g"])
  }

  @Test func whatIsThereAlreadyLeavesEverythingAsItIs() throws {
    try write("g", "edited")
    let before = try refs
    for discard in [false, true] {
      let summary = try restore("two", "f", "d", discard: discard)
      #expect(summary.guard == nil && summary.replaced == 0 && summary.isCommitted)
    }
    #expect(try refs == before)
    try restore("one", "f")
    let once = try refs
    let state = try shop.state
    try restore("one", "f")
    #expect(try refs == once)
    #expect(try shop.state.differences(from: state) == [])
    #expect(try changed == ["g"])
  }

  /// Edits in these paths become a step; edits elsewhere do not.
  @Test func undoTakesBackEditsOfThesePathsFirst() throws {
    try restore("one", "f")
    try write("f", "again")
    try write("g", "edited")
    let undone = try shop.repository.undo()
    #expect(undone.steps.map(\.isUnsaved) == [true])
    #expect(try texts == ["1", "edited", "two"])
    #expect(try changed == ["g"])
    try shop.repository.redo()
    #expect(try texts == ["again", "edited", "two"])
    try shop.repository.undo(2)
    #expect(try texts == ["two", "edited", "two"])
    #expect(try shop.repository.status().names == ["two"])
    try shop.repository.redo(2)
    #expect(try texts == ["again", "edited", "two"])
  }

  /// A move over steps of the whole folder also takes all unsaved changes with it.
  @Test func aMovePastThemIsAboutTheWholeFolder() throws {
    try write("d/h", "edited")
    try restore("one", "f")
    try shop.repository.undo(3)
    #expect(try texts == ["1", "1", "1"])
    #expect(try changed == [])
    try shop.repository.redo(3)
    #expect(try texts == ["1", "two", "edited"])
  }

  @Test func withoutOtherEditsTheFolderIsExactlyWhatItWas() throws {
    let before = try shop.state
    try restore("one", "d/h")
    let after = try shop.state
    #expect(try changed == [])
    #expect(try shop.save().isUnchanged)
    try shop.repository.undo()
    #expect(try shop.state.differences(from: before) == [])
    try shop.repository.redo()
    #expect(try shop.state.differences(from: after) == [])
  }

  @Test func aPathThatIsNewOrGoneComesAndGoes() throws {
    try write("d/new", "n")
    try write("g", "edited")
    try restore("one", "d/new")
    #expect(try shop.folder.folder("d").names() == ["h".bytes])
    #expect(try changed == ["g"])
    try shop.repository.undo()
    #expect(try text("d/new") == "n")
    #expect(try changed == ["g"])
    try shop.folder.remove("f".bytes)
    try restore("two", "f")
    #expect(try texts == ["two", "edited", "two"])
    try shop.repository.undo()
    #expect(try changed == ["g"])
    #expect(try !shop.folder.names().contains("f".bytes))
  }

  /// A file is where the folder of a path was. The restore of the path replaces it.
  @Test func whatIsInTheWayIsSavedToo() throws {
    func putInTheWay(_ text: String) throws {
      try shop.folder.remove("d".bytes)
      try write("d", text)
    }
    try putInTheWay("unsaved")
    try write("g", "edited")
    #expect(try restore("one", "d/h").guard != nil)
    #expect(try texts == ["two", "edited", "1"])
    #expect(try changed == ["g"])
    try shop.repository.undo()
    #expect(try text("d") == "unsaved")
    #expect(try changed == ["g"])
    try shop.repository.redo()
    #expect(try texts == ["two", "edited", "1"])
    try putInTheWay("again")
    try shop.repository.undo()
    #expect(try texts == ["two", "edited", "1"])
    try shop.repository.redo()
    #expect(try text("d") == "again")
    #expect(try changed == ["g"])
  }

  @Test func whatIsDiscardedIsOnlyOfThesePaths() throws {
    for name in ["f", "g"] { try write(name, "edited") }
    #expect(try restore("two", "f", discard: true).guard == nil)
    #expect(try texts == ["two", "edited", "two"])
    #expect(try changed == ["g"])
    #expect(try shop.repository.status().names == ["two"])
    #expect(try refs.timeline.steps.count == 2)
  }

  /// A restore is interrupted between its mark and its commit.
  @Test(arguments: [true, false]) func anInterruptedOneIsAboutThesePathsToo(_ isContinued: Bool) throws {
    for name in ["f", "g"] { try write(name, "edited") }
    let two = try refs
    try restore("one", "f")
    let done = try refs
    try shop.repository.undo()
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      refs.timeline = done.timeline
      _ = refs.timeline.move(to: 2)
      refs.pending = PendingRestore(
        target: done.timeline.steps[3].snapshot, before: done.timeline.steps[2].snapshot, staging: "restore-1-a",
        position: nil, paths: ["f".bytes])
    }
    try write("g", "edited again")
    if isContinued {
      _ = try shop.repository.continueRestore()
      #expect(try texts == ["1", "edited again", "two"])
      #expect(try refs.timeline.steps.map(\.paths) == done.timeline.steps.map(\.paths))
      #expect(try refs.timeline.position == 3)
    } else {
      _ = try shop.repository.abortRestore()
      #expect(try texts == ["edited", "edited again", "two"])
      #expect(try refs.timeline.position == 2)
    }
    #expect(try changed == ["g"])
    #expect(try refs.timeline.steps.prefix(2) == two.timeline.steps.prefix(2))
  }
}
