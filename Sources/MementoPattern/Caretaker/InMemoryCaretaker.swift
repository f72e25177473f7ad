// A caretaker for tests and previews: its states are gone when the process ends.

internal import Synchronization

/// Keeps mementos in memory. It is a class: all references to one caretaker see the same states.
@dynamicMemberLookup
public final class InMemoryCaretaker: BatchingCaretaker {
  /// A value, and a number that no other value had before.
  private struct Kept {
    var bytes: [UInt8]
    var number: Int
  }

  private struct Values {
    var states: [String: Kept] = [:]
    var lastNumber = 0

    mutating func keep(_ bytes: [UInt8], _ name: String) {
      if states[name]?.bytes == bytes { return }
      lastNumber += 1
      states[name] = Kept(bytes: bytes, number: lastNumber)
    }
  }

  private let values = Mutex(Values())

  /// Creates a caretaker without states.
  public init() {}

  /// Each state name with a number. The number changes whenever the value does.
  public var states: [String: String] {
    values.withLock { $0.states.mapValues { "\($0.number)" } }
  }

  /// Saves a memento under a name. Throws `CaretakerError` when its data has a type that cannot be stored.
  public func save<T: Memento>(memento: T, for stateName: String) throws {
    let bytes = try ValueForms.bytes(memento)
    values.withLock { $0.keep(bytes, stateName) }
  }

  /// The memento of a state. nil when there is no such state, or when `T` does not accept its data.
  public func restore<T: Memento>(state: String) -> T? {
    values.withLock { $0.states[state] }.flatMap { ValueForms.memento($0.bytes) }
  }

  /// Deletes a state. Throws `CaretakerError.noSuchState` when it does not exist.
  public func delete(state: String) throws {
    guard values.withLock({ $0.states.removeValue(forKey: state) }) != nil else {
      throw CaretakerError.noSuchState(state)
    }
  }

  /// Saves a value under a name. Throws `CaretakerError` when it cannot be encoded.
  public func save<T: Encodable>(_ value: T, for stateName: String) throws {
    let bytes = try ValueForms.bytes(value)
    values.withLock { $0.keep(bytes, stateName) }
  }

  /// The value of a state; nil when there is no such state. Throws `CaretakerError` when the value does not decode as
  /// `T`.
  public func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? {
    try values.withLock { $0.states[state] }.map { try ValueForms.value(type, $0.bytes, state: state) }
  }

  /// Makes all of the changes. Deleting a state that does not exist is no error.
  public func apply(_ changes: [StateChange]) {
    values.withLock { values in
      for change in changes {
        if let bytes = change.value { values.keep(bytes, change.name) } else { values.states[change.name] = nil }
      }
    }
  }

  /// The memento of a state by its name: `let user = caretaker.defaultUser as User?`
  public subscript<T: Memento>(dynamicMember state: String) -> T? {
    restore(state: state)
  }
}
