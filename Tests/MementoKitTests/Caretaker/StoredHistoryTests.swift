import MementoKit
import TestSupport
import Testing

/// A history in a repository.
@Suite struct StoredHistoryTests {
  @Test func comesBackAfterARestart() throws {
    let directory = try TemporaryDirectory()
    func open() throws -> History<String> {
      try History(
        restoring: "drawing", from: RepositoryCaretaker(at: directory.path, options: RepositoryFixture.quick),
        orStartingWith: "empty")
    }
    let history = try open()
    history.save("circle")
    history.save("square")
    history.undo()
    try history.flush()
    #expect(history.saveError == nil)
    let again = try open()
    #expect(again.states == ["empty", "circle", "square"] && again.index == 1 && again.current == "circle")
    again.save("line")
    try again.flush()
    #expect(try open().states == ["empty", "circle", "line"])
    let caretaker = try RepositoryCaretaker(at: directory.path, options: RepositoryFixture.quick)
    #expect(caretaker.states.keys.sorted() == ["drawing", "drawing/0", "drawing/1", "drawing/3"])
    #expect(try History<String>(restoring: "drawing", from: caretaker)?.current == "line")
    #expect(try History<String>(restoring: "other", from: caretaker) == nil)
    #expect(throws: CaretakerError.self) { _ = try History<Int>(restoring: "drawing", from: caretaker) }
  }

  /// Another process may have deleted a state that is not needed any more.
  @Test func aStateThatHasGoneIsNoHindrance() throws {
    let directory = try TemporaryDirectory()
    let caretaker = try RepositoryCaretaker(at: directory.path, options: RepositoryFixture.quick)
    let history = try History(restoring: "h", from: caretaker, orStartingWith: 0)
    history.save(1)
    try history.flush()
    try caretaker.delete(state: "h/1")
    #expect(throws: CaretakerError.noSuchState("h/1")) { _ = try History<Int>(restoring: "h", from: caretaker) }
    history.undo()
    history.save(2)
    try history.flush()
    #expect(try History<Int>(restoring: "h", from: caretaker)?.states == [0, 2])
  }

  @Test func manyChanges() throws {
    let directory = try TemporaryDirectory()
    let caretaker = try RepositoryCaretaker(at: directory.path, options: RepositoryFixture.quick)
    let history = try History(restoring: "h", from: caretaker, orStartingWith: 0)
    for value in 1...500 { history.save(value) }
    try history.flush()
    #expect(try History<Int>(restoring: "h", from: caretaker)?.states == Array(0...500))
  }
}
