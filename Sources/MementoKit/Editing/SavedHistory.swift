// A history that comes back after a restart.

/// How a history is kept.
private struct HistoryRecord<State: Codable>: Codable {
  var states: [State]
  var index: Int
}

extension History where State: Codable {
  /// The history that was kept under a state name, or one that begins with `initial` when there is none. From now on every
  /// change is kept under that name: the whole history in one value, so a save costs what all its states cost to encode.
  /// A failure to keep it is in `saveError`. Throws what `restore` of the caretaker throws.
  public convenience init(
    restoring name: String, from caretaker: some CodableCaretaker, orStartingWith initial: @autoclosure () -> State,
    limit: Int? = nil
  ) throws {
    let kept = try caretaker.restore(HistoryRecord<State>.self, state: name)
    if let kept, !kept.states.isEmpty {
      self.init(states: kept.states, index: kept.index, limit: limit)
    } else {
      self.init(initial(), limit: limit)
    }
    keepSaved(as: name, in: caretaker)
  }

  /// The history that was kept under a state name; nil when there is none.
  public convenience init?(
    restoring name: String, from caretaker: some CodableCaretaker, limit: Int? = nil
  ) throws {
    guard let kept = try caretaker.restore(HistoryRecord<State>.self, state: name), !kept.states.isEmpty else {
      return nil
    }
    self.init(states: kept.states, index: kept.index, limit: limit)
    keepSaved(as: name, in: caretaker)
  }

  private func keepSaved(as name: String, in caretaker: some CodableCaretaker) {
    var caretaker = caretaker
    keepChanges { states, index in
      try caretaker.save(HistoryRecord(states: states, index: index), for: name)
    }
  }
}
