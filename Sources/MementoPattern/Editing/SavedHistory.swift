// A history that is saved and restored, so that it survives a restart of the program.

extension History where State: Codable {
  /// Restores the history that was saved under `name`, or starts one with `initial` when there is none. From now on
  /// every change is saved: each state as a separate value (`NAME/1`, `NAME/2` and so on), and their order under NAME.
  /// A `BatchingCaretaker` is called in the background, with several quick changes together; `flush()` waits until they
  /// are saved. Any other caretaker is called at each change. `saveError` has the error of a failed save, and `flush()`
  /// throws it. This initializer throws what `restore` of the caretaker throws, and `CaretakerError` when the saved
  /// values are not a whole history.
  public convenience init(
    restoring name: String, from caretaker: some CodableCaretaker, orStartingWith initial: @autoclosure () -> State,
    limit: Int? = nil
  ) throws {
    let kept = try KeptHistory<State>(name, in: caretaker)
    self.init(kept, startingWith: { initial() }, limit: limit, in: caretaker)
  }

  /// Restores the history that was saved under `name`; nil when there is none. Otherwise as the other initializer.
  public convenience init?(
    restoring name: String, from caretaker: some CodableCaretaker, limit: Int? = nil
  ) throws {
    let kept = try KeptHistory<State>(name, in: caretaker)
    guard let first = kept.states.first else { return nil }
    self.init(kept, startingWith: { first.state }, limit: limit, in: caretaker)
  }

  private convenience init(
    _ kept: KeptHistory<State>, startingWith initial: () -> State, limit: Int?, in caretaker: some CodableCaretaker
  ) {
    let isBatching = caretaker is any BatchingCaretaker
    let encode: (State) throws -> [UInt8] = { try ValueForms.bytes($0) }
    let states = kept.states.isEmpty ? [(number: 0, state: initial())] : kept.states
    let steps = HistorySteps(
      states.map { number, state in
        let isKept = kept.record?.kept.contains(number) == true
        return .init(number: number, state: state, encoded: isKept || !isBatching ? nil : Result { try encode(state) })
      }, index: kept.index)
    self.init(steps: steps, limit: limit)
    if let batching = caretaker as? any BatchingCaretaker {
      let known = Set(kept.record?.kept ?? [])
      keep(
        .inBackground(
          HistorySaver(steps, as: kept.name, in: batching, kept: known, record: kept.record), encode: encode))
    } else {
      let saver = DirectHistorySaver(steps, as: kept.name, in: caretaker, record: kept.record)
      keep(.atOnce(saver.status) { try saver.save() })
    }
  }
}

/// What a caretaker has stored of a history.
private struct KeptHistory<State: Codable> {
  /// The older form: all states in one value.
  private struct Whole: Codable {
    var states: [State]
    var index: Int
  }

  /// Tells the two forms apart: only the newer one has `kept`.
  private struct Form: Decodable {
    var kept: [Int]?
  }

  let name: String
  var states: [(number: Int, state: State)] = []
  var index = 0
  /// nil when nothing is stored or the older form is.
  var record: HistoryRecord?

  init(_ name: String, in caretaker: some CodableCaretaker) throws {
    self.name = name
    guard let form = try caretaker.restore(Form.self, state: name) else { return }
    guard form.kept != nil, let record = try caretaker.restore(HistoryRecord.self, state: name) else {
      guard let whole = try caretaker.restore(Whole.self, state: name) else { return }
      states = whole.states.enumerated().map { ($0.offset, $0.element) }
      index = whole.index
      return
    }
    // Two states with the same number would overwrite each other. The limit leaves room for the larger number of a new
    // state.
    guard Set(record.kept).count == record.kept.count, record.kept.allSatisfy({ (0..<Int.max / 2).contains($0) }) else {
      throw CaretakerError.mismatch(reason: "it is not a history", keyPath: "kept", state: name)
    }
    self.record = record
    index = record.index
    for number in record.kept {
      let place = HistoryRecord.name(of: number, in: name)
      guard let state = try caretaker.restore(State.self, state: place) else { throw CaretakerError.noSuchState(place) }
      states.append((number, state))
    }
  }
}

/// Saves a history with a caretaker that makes one change at a time, on the thread that changes the history.
private final class DirectHistorySaver<State: Codable, Keeper: CodableCaretaker> {
  let status = SaveStatus()
  private let steps: HistorySteps<State>
  private let name: String
  private var caretaker: Keeper
  private var record: HistoryRecord?

  init(_ steps: HistorySteps<State>, as name: String, in caretaker: Keeper, record: HistoryRecord?) {
    self.steps = steps
    self.name = name
    self.caretaker = caretaker
    self.record = record
  }

  func save() throws {
    do {
      try saveChanges()
      status.set(nil)
    } catch {
      status.set(error)
      throw error
    }
  }

  /// First saves the new states, then the order, and then deletes states that are not needed any more. The stored
  /// history is whole after each of these calls.
  private func saveChanges() throws {
    let (states, index) = steps.read { steps in
      (steps.steps[steps.first...].map { ($0.number, $0.state) }, steps.position - steps.first)
    }
    let new = HistoryRecord(kept: states.map(\.0), index: index)
    if new == record { return }
    let known = Set(record?.kept ?? [])
    for (number, state) in states where !known.contains(number) {
      try caretaker.save(state, for: HistoryRecord.name(of: number, in: name))
    }
    try caretaker.save(new, for: name)
    record = new
    for number in known.subtracting(new.kept).sorted() {
      // The state may be deleted already. One that stays is harmless: no record refers to it.
      try? caretaker.delete(state: HistoryRecord.name(of: number, in: name))
    }
  }
}
