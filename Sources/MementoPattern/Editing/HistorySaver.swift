// Keeps a history with a caretaker: each state as a value of its own, beside a record of their order. A new state costs
// what it takes to encode that state; the caretaker is used in the background, where all changes since the last time go
// together.

internal import Observation
internal import Synchronization

/// What a history is made of at one moment.
struct HistoryContents {
  /// The numbers of its states, the oldest first.
  var numbers: [Int]
  /// Which of them is current, counted in `numbers`.
  var index: Int
  /// Those that are not kept yet, by number: canonical JSON.
  var values: [Int: [UInt8]]
}

/// The states that a saver keeps. Any thread may ask.
protocol HistorySource: AnyObject, Sendable {
  /// All numbers, and the values of those that are not `kept`. Throws when one of them cannot be encoded.
  func contents(besides kept: Set<Int>) throws -> HistoryContents
  /// These are kept: their encoded values are not needed any more.
  func forgetValues(of kept: Set<Int>)
}

/// The order of the states, as it is kept under the name of the history.
struct HistoryRecord: Codable, Equatable {
  /// The numbers of the states, the oldest first. State 7 of `drawing` is kept as `drawing/7`.
  var kept: [Int]
  /// Which of them is current, counted in `kept`.
  var index: Int

  static func name(of number: Int, in history: String) -> String { "\(history)/\(number)" }
}

/// Where a save has led: it can be observed.
final class SaveStatus: Observable, Sendable {
  private let failure = Mutex<(any Error)?>(nil)
  private let registrar = ObservationRegistrar()

  /// Why the last save failed; nil when it did not.
  var error: (any Error)? {
    registrar.access(self, keyPath: \.error)
    return failure.withLock { $0 }
  }

  func set(_ error: (any Error)?) {
    let isSame = failure.withLock { $0 == nil && error == nil }
    if isSame { return }
    registrar.withMutation(of: self, keyPath: \.error) { failure.withLock { $0 = error } }
  }
}

final class HistorySaver: Sendable {
  private struct Written {
    /// The numbers of the states that the caretaker has.
    var kept: Set<Int>
    var record: HistoryRecord?
  }

  private struct Background {
    var isRunning = false
    var hasChanges = false
  }

  let status = SaveStatus()
  private let name: String
  private let source: any HistorySource
  private let apply: @Sendable ([StateChange]) throws -> Void
  private let written: Mutex<Written>
  private let background = Mutex(Background())

  /// `kept`: what the caretaker has already, and the record that it has under `name`; nil when that is of another form.
  init(
    _ source: any HistorySource, as name: String, in caretaker: some BatchingCaretaker, kept: Set<Int>,
    record: HistoryRecord?
  ) {
    self.source = source
    self.name = name
    apply = { try caretaker.apply($0) }
    written = Mutex(Written(kept: kept, record: record))
  }

  /// The history has changed. Returns at once; the change is kept in a moment, with those that follow meanwhile.
  func noteChange() {
    let begins = background.withLock { background in
      background.hasChanges = true
      if background.isRunning { return false }
      background.isRunning = true
      return true
    }
    // One task a history at most waits for a disk.
    if begins { Task.detached(priority: .utility) { [self] in saveWhileThereAreChanges() } }
  }

  private func saveWhileThereAreChanges() {
    while takeChange() {
      // The error is in `status`, and the next change or flush tries again.
      _ = try? flush()
    }
  }

  private func takeChange() -> Bool {
    background.withLock { background in
      background.isRunning = background.hasChanges
      background.hasChanges = false
      return background.isRunning
    }
  }

  /// Returns when everything up to now is kept. Throws why it cannot be.
  func flush() throws {
    let outcome = written.withLock { written -> Result<Void, any Error> in
      do {
        try save(&written)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    if case .failure(let error) = outcome { status.set(error) } else { status.set(nil) }
    try outcome.get()
  }

  /// What is not kept, the new order, and what is not needed any more, in one commit.
  private func save(_ written: inout Written) throws {
    let contents = try source.contents(besides: written.kept)
    let record = HistoryRecord(kept: contents.numbers, index: contents.index)
    if record == written.record { return }
    var changes = contents.values.sorted { $0.key < $1.key }.map {
      StateChange(name: HistoryRecord.name(of: $0.key, in: name), value: $0.value)
    }
    changes.append(StateChange(name: name, value: try ValueForms.bytes(record)))
    let numbers = Set(contents.numbers)
    for number in written.kept.subtracting(numbers).sorted() {
      changes.append(StateChange(name: HistoryRecord.name(of: number, in: name), value: nil))
    }
    try apply(changes)
    written = Written(kept: numbers, record: record)
    source.forgetValues(of: numbers)
  }
}
