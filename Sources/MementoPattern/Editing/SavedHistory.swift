// A history that comes back after a restart.

extension History where State: Codable {
  /// The history that was kept under a state name, or one that begins with `initial` when there is none. From now on every
  /// change is kept: each state as a value of its own (`NAME/1`, `NAME/2` and so on), and their order under NAME. With a
  /// `BatchingCaretaker` that happens in the background, and changes that follow each other quickly are kept together:
  /// `flush()` waits for them. Other caretakers are used at once. A failure is in `saveError`, and thrown by `flush()`.
  /// Throws what `restore` of the caretaker throws.
  public convenience init(
    restoring name: String, from caretaker: some CodableCaretaker, orStartingWith initial: @autoclosure () -> State,
    limit: Int? = nil
  ) throws {
    let kept = try KeptHistory<State>(name, in: caretaker)
    self.init(kept, startingWith: { initial() }, limit: limit, in: caretaker)
  }

  /// The history that was kept under a state name; nil when there is none.
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

/// What a caretaker has of a history.
private struct KeptHistory<State: Codable> {
  /// As it was kept before there was a value for each state.
  private struct Whole: Codable {
    var states: [State]
    var index: Int
  }

  /// Which form it is.
  private struct Form: Decodable {
    var kept: [Int]?
  }

  let name: String
  var states: [(number: Int, state: State)] = []
  var index = 0
  /// Nil when there is none, or one of the older form.
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
    // Numbers that repeat would be one state; a new one must be larger than all.
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

/// Keeps a history with a caretaker that makes one change at a time, on the thread of whoever changes the history.
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

  /// New states, then the order, then what is not needed any more goes: the history is whole after each of these.
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
      // It may have gone already. One that stays takes space: nothing refers to it any more.
      try? caretaker.delete(state: HistoryRecord.name(of: number, in: name))
    }
  }
}
