import TestSupport
import Testing

import MementoKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#endif

/// Programs use these signatures, so this file must compile without changes.
@Suite struct LibraryContractTests {
  private struct Point: Memento, Equatable {
    var x: Int
    var data: [String: Any] { ["x": x] }
    init(x: Int) { self.x = x }
    init?(data: [String: Any]) {
      guard let x = data["x"] as? Int else { return nil }
      self.x = x
    }
  }

  /// Types can adopt the protocols as documented.
  private struct Shelf: Caretaker {
    private var kept: [String: [String: Any]] = [:]
    var states: [String: String] { kept.mapValues { "\($0.count)" } }
    mutating func save<T: Memento>(memento: T, for stateName: String) throws { kept[stateName] = memento.data }
    func restore<T: Memento>(state: String) throws -> T? { kept[state].flatMap { T(data: $0) } }
    mutating func delete(state: String) throws { kept[state] = nil }
  }

  private struct Pen: Originator {
    var point = Point(x: 0)
    func save() -> Point { point }
    mutating func restore(_ memento: Point) { point = memento }
  }

  private func use(_ caretaker: inout some Caretaker) throws {
    let states: [String: String] = caretaker.states
    #expect(states.isEmpty)
    try caretaker.save(memento: Point(x: 1), for: "p")
    let point: Point? = try caretaker.restore(state: "p")
    #expect(point == Point(x: 1))
    try caretaker.delete(state: "p")
  }

  @Test func everyCaretakerIsOne() throws {
    let directory = try TemporaryDirectory()
    var shelf = Shelf()
    try use(&shelf)
    var memory = InMemoryCaretaker()
    try use(&memory)
    var repository = try RepositoryCaretaker(at: directory.path)
    try use(&repository)
  }

  @Test func dynamicMembers() throws {
    let directory = try TemporaryDirectory()
    let caretaker = try RepositoryCaretaker(at: directory.path)
    try caretaker.save(memento: Point(x: 7), for: "defaultPoint")
    let point = try caretaker.defaultPoint as Point?
    #expect(point == Point(x: 7))
    try caretaker.save([1, 2], for: "albums")
    #expect(try caretaker.restore([Int].self, state: "albums") == [1, 2])
    try caretaker.batch { try $0.save(memento: Point(x: 8), for: "a") }
  }

  @Test func histories() throws {
    let history = History<Int>(1, limit: nil)
    history.save(2)
    let known: (Int, [Int], Int, Bool, Bool) =
      (history.current, history.states, history.index, history.canUndo, history.canRedo)
    #expect(known == (2, [1, 2], 1, true, false))
    history.undo()
    history.redo()
    let kept: History<Int>? = try History(restoring: "drawing", from: InMemoryCaretaker())
    #expect(kept == nil)
    try history.flush()
    let sendable: any Sendable = history
    _ = sendable

    let timeline = Timeline(of: Pen(), in: InMemoryCaretaker())
    try timeline.backup()
    try timeline.backup("named")
    try timeline.undo()
    try timeline.redo()
    let entry = try #require(timeline.history.last)
    let (name, date, id): (String, Date, String) = (entry.name, entry.date, entry.id)
    #expect(name == "named" && date <= Date() && !id.isEmpty)
  }

  @Test func folders() throws {
    let directory = try TemporaryDirectory()
    try directory.write("file", [1])
    let folder = try FolderOriginator(directory.path)
    let repository: Repository = folder.repository
    let monitor: any Monitor = SilentMonitor()
    let saved = try repository.save(SaveOptions(name: "start"), monitor: monitor)
    try directory.write("file", [2])
    #expect(try repository.status(monitor: monitor).changes.map(\.kind) == [.modified])
    try repository.restore("start", RestoreOptions(), monitor: monitor)
    #expect(try directory.read("file") == [1])
    try repository.undo(monitor: monitor)
    #expect(try directory.read("file") == [2])
    try repository.redo(monitor: monitor)
    #expect(try repository.log(LogOptions()).contains { $0.snapshot.id == saved.snapshot.id })
    do throws(RepositoryError) {
      try repository.restore("nothing")
      Issue.record("there is no such state")
    } catch {
      let (code, path, underlying): (RepositoryError.Code, BytePath?, Int32) = (
        error.code, error.path, error.systemError
      )
      #expect(code == .noSuchState && path == nil && underlying == 0)
    }
  }
}
