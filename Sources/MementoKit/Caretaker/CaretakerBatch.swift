// Collects many changes of states and makes them one commit.

/// The caretaker that `RepositoryCaretaker.batch` hands out. It notes what to save and delete, and its owner commits.
@dynamicMemberLookup
public struct CaretakerBatch: CodableCaretaker {
  private enum Change {
    case value([UInt8])
    case deletion
  }

  private let caretaker: RepositoryCaretaker
  private var changes: [String: Change] = [:]

  init(_ caretaker: RepositoryCaretaker) {
    self.caretaker = caretaker
  }

  /// The states as the commit will leave them: name and id. The id is empty for a value that is not committed yet.
  public var states: [String: String] {
    var states = caretaker.states
    for (name, change) in changes {
      switch change {
      case .value: states[name] = ""
      case .deletion: states[name] = nil
      }
    }
    return states
  }

  /// Notes a memento to be saved. Throws when its data cannot be stored or the name cannot be used.
  public mutating func save<T: Memento>(memento: T, for stateName: String) throws {
    try keep(try ValueForms.bytes(memento), stateName)
  }

  /// Notes a value to be saved. Throws for values that cannot be encoded and names that cannot be used.
  public mutating func save<T: Encodable>(_ value: T, for stateName: String) throws {
    try keep(try ValueForms.bytes(value), stateName)
  }

  private mutating func keep(_ bytes: [UInt8], _ name: String) throws {
    try StateName.validate(name)
    changes[name] = .value(bytes)
  }

  /// The memento that a state will have after the commit. Returns nil when there is none, or when `T` does not accept
  /// its data.
  public func restore<T: Memento>(state: String) throws -> T? {
    switch changes[state] {
    case .value(let bytes): ValueForms.memento(bytes)
    case .deletion: nil
    case nil: try caretaker.restore(state: state)
    }
  }

  /// The value that a state will have after the commit; nil when there is none.
  public func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? {
    switch changes[state] {
    case .value(let bytes): try ValueForms.value(type, bytes, state: state)
    case .deletion: nil
    case nil: try caretaker.restore(type, state: state)
    }
  }

  /// Notes a state to be deleted. Throws `CaretakerError.noSuchState`.
  public mutating func delete(state: String) throws {
    switch changes[state] {
    case .deletion: throw CaretakerError.noSuchState(state)
    case .value: break
    case nil:
      guard try caretaker.repository.hasState(state) else { throw CaretakerError.noSuchState(state) }
    }
    changes[state] = try caretaker.repository.hasState(state) ? .deletion : nil
  }

  /// The memento that the state of this name will have after the commit.
  public subscript<T: Memento>(dynamicMember state: String) -> T? {
    get throws { try restore(state: state) }
  }

  func commit() throws(RepositoryError) {
    var values: [NamedValue] = []
    var deletions: [String] = []
    for (name, change) in changes {
      switch change {
      case .value(let bytes): values.append(NamedValue(name: name, bytes: bytes))
      case .deletion: deletions.append(name)
      }
    }
    if values.isEmpty && deletions.isEmpty { return }
    try caretaker.repository.saveValues(values, deleting: deletions)
  }
}
