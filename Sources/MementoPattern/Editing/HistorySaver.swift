// Saves a history with a caretaker: each state as a separate value, and a record of their order. Saving a new state
// costs the time to encode that one state. The caretaker is called in the background, with all changes since the last
// call together.

internal import Observation
internal import Synchronization

/// The content of a history at one moment.
struct HistoryContents {
  /// The numbers of its states, the oldest first.
  var numbers: [Int]
  /// The index in `numbers` of the current state.
  var index: Int
  /// The states that are not saved yet, by number, as canonical JSON.
  var values: [Int: [UInt8]]
}

/// A history whose states a saver saves. Any thread may call it.
protocol HistorySource: AnyObject, Sendable {
  /// All numbers, and the values of the states that are not in `kept`. Throws when one of these cannot be encoded.
  func contents(besides kept: Set<Int>) throws -> HistoryContents
  /// Drops the encoded values of the states in `kept`: they are saved.
  func forgetValues(of kept: Set<Int>)
}

/// The order of the states, which is saved under the name of the history.
struct HistoryRecord: Codable, Equatable {
  /// The numbers of the states, the oldest first. State 7 of `drawing` is saved as `drawing/7`.
  var kept: [Int]
  /// The index in `kept` of the current state.
  var index: Int

  static func name(of number: Int, in history: String) -> String { "\(history)/\(number)" }
}

/// The outcome of the last save. It can be observed.
final class SaveStatus: Observable, Sendable {
  private let failure = Mutex<(any Error)?>(nil)
  private let registrar = ObservationRegistrar()

  /// The error of the last save; nil when it succeeded.
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

  /// `kept` has the numbers of the states that the caretaker has already. `record` is what it has under `name`; nil
  /// when it has nothing there or a value of the older form.
  init(
    _ source: any HistorySource, as name: String, in caretaker: some BatchingCaretaker, kept: Set<Int>,
    record: HistoryRecord?
  ) {
    self.source = source
    self.name = name
    apply = { try caretaker.apply($0) }
    written = Mutex(Written(kept: kept, record: record))
  }

  /// Reports that the history has changed. Returns at once. A background task saves the change, together with later
  /// ones.
  func noteChange() {
    let begins = background.withLock { background in
      background.hasChanges = true
      if background.isRunning { return false }
      background.isRunning = true
      return true
    }
    // At most one task for each history waits for a disk.
    if begins { Task.detached(priority: .utility) { [self] in saveWhileThereAreChanges() } }
  }

  private func saveWhileThereAreChanges() {
    while takeChange() {
      // `status` has the error, and the next change or flush tries again.
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

  /// Returns when everything up to now is saved. Throws when it cannot be saved.
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

  /// Saves the states that are not saved yet and the new order, and deletes states that are not needed any more, all in
  /// one call of the caretaker.
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
