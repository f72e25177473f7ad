// A caretaker for tests and previews: nothing outlives the process.

internal import Synchronization

/// Keeps mementos in memory. Copies of the reference share their states.
@dynamicMemberLookup
public final class InMemoryCaretaker: BatchingCaretaker {
  /// A value, and a number that no earlier value of any state has had.
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

  /// Begins without states.
  public init() {}

  /// State name and a number, which is another one whenever the value is.
  public var states: [String: String] {
    values.withLock { $0.states.mapValues { "\($0.number)" } }
  }

  /// Throws `CaretakerError` for data that cannot be kept.
  public func save<T: Memento>(memento: T, for stateName: String) throws {
    let bytes = try ValueForms.bytes(memento)
    values.withLock { $0.keep(bytes, stateName) }
  }

  /// Nil when there is no such state, or when its data is not what `T` accepts.
  public func restore<T: Memento>(state: String) -> T? {
    values.withLock { $0.states[state] }.flatMap { ValueForms.memento($0.bytes) }
  }

  /// Throws `CaretakerError.noSuchState`.
  public func delete(state: String) throws {
    guard values.withLock({ $0.states.removeValue(forKey: state) }) != nil else {
      throw CaretakerError.noSuchState(state)
    }
  }

  /// Throws `CaretakerError` for a value that cannot be encoded.
  public func save<T: Encodable>(_ value: T, for stateName: String) throws {
    let bytes = try ValueForms.bytes(value)
    values.withLock { $0.keep(bytes, stateName) }
  }

  /// Nil when there is no such state. Throws `CaretakerError` for a value of another shape.
  public func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? {
    try values.withLock { $0.states[state] }.map { try ValueForms.value(type, $0.bytes, state: state) }
  }

  /// Makes all of the changes.
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
