import MementoPattern
import Synchronization
import Testing

/// Histories that a caretaker keeps.
@Suite struct KeptHistoryTests {
  @Test func everyStateIsAValue() throws {
    let caretaker = InMemoryCaretaker()
    let history = try History(restoring: "h", from: caretaker, orStartingWith: "a")
    history.save("b")
    history.save("c")
    try history.flush()
    #expect(caretaker.states.keys.sorted() == ["h", "h/0", "h/1", "h/2"])
    #expect(try caretaker.restore(String.self, state: "h/2") == "c")
    history.undo()
    history.undo()
    history.save("d")
    try history.flush()
    #expect(caretaker.states.keys.sorted() == ["h", "h/0", "h/3"])
    let again = try #require(try History<String>(restoring: "h", from: caretaker))
    #expect(again.states == ["a", "d"] && again.index == 1)
    again.undo()
    again.save("e")
    try again.flush()
    #expect(try History<String>(restoring: "h", from: caretaker)?.states == ["a", "e"])
  }

  /// A state is written once, whatever is done with the history then; and nothing is written that has not changed.
  @Test func whatIsKeptIsNotWrittenAgain() throws {
    let caretaker = RecordingCaretaker()
    let history = try History(restoring: "h", from: caretaker, orStartingWith: 0)
    for value in 1...5 { history.save(value) }
    try history.flush()
    history.undo()
    try history.flush()
    try history.flush()
    history.save(9)
    try history.flush()
    let saved = caretaker.batches.flatMap { $0 }.filter { $0.name != "h" && $0.value != nil }.map(\.name)
    #expect(saved.count == Set(saved).count && Set(saved) == Set((0...6).map { "h/\($0)" }))
    #expect(caretaker.batches.last?.map(\.name) == ["h/6", "h", "h/5"])
  }

  @Test func savesAreCoalesced() throws {
    let caretaker = RecordingCaretaker()
    let history = try History(restoring: "h", from: caretaker, orStartingWith: 0)
    // Nothing is applied while the caretaker is at work, and nobody waits for it.
    caretaker.working.withLock { _ in
      for value in 1...1000 { history.save(value) }
    }
    try history.flush()
    #expect(caretaker.batches.count <= 3)
    #expect(try History<Int>(restoring: "h", from: caretaker)?.states == Array(0...1000))
  }

  @Test func theEndOfTheScopeKeeps() throws {
    let caretaker = InMemoryCaretaker()
    do {
      let history = try History(restoring: "h", from: caretaker, orStartingWith: 1)
      history.save(2)
    }
    #expect(try History<Int>(restoring: "h", from: caretaker)?.states == [1, 2])
  }

  @Test func canBeAwaited() async throws {
    let caretaker = InMemoryCaretaker()
    let history = try History(restoring: "h", from: caretaker, orStartingWith: 1)
    await withTaskGroup(of: Void.self) { group in
      for value in 2...100 { group.addTask { history.save(value) } }
    }
    try await history.flush()
    #expect(try History<Int>(restoring: "h", from: caretaker)?.states == history.states)
  }

  @Test func aLimitDropsTheOldest() throws {
    let caretaker = InMemoryCaretaker()
    let history = try History(restoring: "h", from: caretaker, orStartingWith: 0, limit: 3)
    for value in 1...50 {
      history.save(value)
      if value % 7 == 0 { try history.flush() }
    }
    try history.flush()
    #expect(caretaker.states.count == 4)
    #expect(try History<Int>(restoring: "h", from: caretaker)?.states == [48, 49, 50])
    #expect(try History<Int>(restoring: "h", from: caretaker, limit: 2)?.states == [49, 50])
  }

  /// As histories were kept before: all states in one value.
  @Test func theOlderFormIsRead() throws {
    struct Whole: Codable {
      var states: [Int]
      var index: Int
    }
    let caretaker = InMemoryCaretaker()
    for (index, current) in [(1, 2), (-5, 1), (99, 3), (Int.max, 3), (Int.min, 1)] {
      try caretaker.save(Whole(states: [1, 2, 3], index: index), for: "h")
      #expect(try History<Int>(restoring: "h", from: caretaker)?.current == current)
    }
    let history = try #require(try History<Int>(restoring: "h", from: caretaker))
    history.save(4)
    try history.flush()
    #expect(try History<Int>(restoring: "h", from: caretaker)?.states == [1, 4])
    try caretaker.save(Whole(states: [], index: 0), for: "h")
    #expect(try History<Int>(restoring: "h", from: caretaker) == nil)
    #expect(try History(restoring: "h", from: caretaker, orStartingWith: 7).current == 7)
  }

  @Test func aForgedRecordIsRefused() throws {
    struct Record: Codable {
      var kept: [Int]
      var index: Int
    }
    let caretaker = InMemoryCaretaker()
    try caretaker.save(5, for: "h/0")
    for (kept, index) in [([0], -5), ([0], 99), ([0], Int.max)] {
      try caretaker.save(Record(kept: kept, index: index), for: "h")
      #expect(try History<Int>(restoring: "h", from: caretaker)?.current == 5)
    }
    for kept in [[0, 0], [-1], [Int.max], [0, 1]] {
      try caretaker.save(Record(kept: kept, index: 0), for: "h")
      #expect(throws: CaretakerError.self) { _ = try History<Int>(restoring: "h", from: caretaker) }
    }
    #expect(throws: CaretakerError.self) { _ = try History<String>(restoring: "h", from: caretaker) }
    try caretaker.save(Record(kept: [], index: 0), for: "h")
    #expect(try History<Int>(restoring: "h", from: caretaker) == nil)
  }

  @Test func aStateThatCannotBeEncodedIsSaid() throws {
    struct Odd: Codable {
      var isOdd = false
      func encode(to encoder: any Encoder) throws {
        if isOdd { throw EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "odd")) }
        var container = encoder.singleValueContainer()
        try container.encode(isOdd)
      }
      init(isOdd: Bool) { self.isOdd = isOdd }
      init(from decoder: any Decoder) throws { isOdd = try decoder.singleValueContainer().decode(Bool.self) }
    }
    let caretaker = InMemoryCaretaker()
    let history = try History(restoring: "h", from: caretaker, orStartingWith: Odd(isOdd: false))
    history.save(Odd(isOdd: true))
    #expect(throws: CaretakerError.self) { try history.flush() }
    #expect(history.saveError is CaretakerError && caretaker.states.isEmpty)
    history.undo()
    history.save(Odd(isOdd: false))
    try history.flush()
    #expect(history.saveError == nil && caretaker.states.count == 3)
  }

  /// A caretaker of another kind is used at once, and its failure does not hurt the history.
  @Test func whatCannotBeKeptIsSaid() throws {
    let history = try History(restoring: "h", from: FullCaretaker(), orStartingWith: 1)
    #expect(history.saveError == nil)
    history.save(2)
    #expect(history.current == 2 && history.saveError is FullCaretaker.Full)
    #expect(throws: FullCaretaker.Full.self) { try history.flush() }
  }

  @Test func withACaretakerOfAnotherKind() throws {
    let caretaker = PlainCaretaker()
    let history = try History(restoring: "h", from: caretaker, orStartingWith: 0, limit: 2)
    for value in 1...5 { history.save(value) }
    #expect(history.saveError == nil && caretaker.memory.states.count == 3)
    #expect(try History<Int>(restoring: "h", from: caretaker)?.states == [4, 5])
    history.undo()
    #expect(try History<Int>(restoring: "h", from: caretaker)?.current == 4)
  }
}

/// Remembers what it was asked to do, and can be made to wait.
private final class RecordingCaretaker: BatchingCaretaker {
  private let memory = InMemoryCaretaker()
  private let seen = Mutex<[[StateChange]]>([])
  let working = Mutex<Void>(())
  var batches: [[StateChange]] { seen.withLock { $0 } }
  var states: [String: String] { memory.states }

  func apply(_ changes: [StateChange]) {
    working.withLock { _ in
      seen.withLock { $0.append(changes) }
      memory.apply(changes)
    }
  }

  func save<T: Memento>(memento: T, for stateName: String) throws { try memory.save(memento: memento, for: stateName) }
  func restore<T: Memento>(state: String) throws -> T? { memory.restore(state: state) }
  func delete(state: String) throws { try memory.delete(state: state) }
  func save<T: Encodable>(_ value: T, for stateName: String) throws { try memory.save(value, for: stateName) }
  func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? { try memory.restore(type, state: state) }
}

/// Makes one change at a time.
private struct PlainCaretaker: CodableCaretaker {
  let memory = InMemoryCaretaker()
  var states: [String: String] { memory.states }
  func save<T: Memento>(memento: T, for stateName: String) throws { try memory.save(memento: memento, for: stateName) }
  func restore<T: Memento>(state: String) throws -> T? { memory.restore(state: state) }
  func delete(state: String) throws { try memory.delete(state: state) }
  func save<T: Encodable>(_ value: T, for stateName: String) throws { try memory.save(value, for: stateName) }
  func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? { try memory.restore(type, state: state) }
}

/// Has no room for anything.
private struct FullCaretaker: CodableCaretaker {
  struct Full: Error {}
  var states: [String: String] { [:] }
  func save<T: Memento>(memento: T, for stateName: String) throws { throw Full() }
  func restore<T: Memento>(state: String) throws -> T? { nil }
  func delete(state: String) throws { throw Full() }
  func save<T: Encodable>(_ value: T, for stateName: String) throws { throw Full() }
  func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? { nil }
}
