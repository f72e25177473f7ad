// A caretaker for tests and previews: nothing outlives the process.

internal import MementoStore
internal import Synchronization

/// Keeps mementos in memory. Copies of the reference share their states.
@dynamicMemberLookup
public final class InMemoryCaretaker: CodableCaretaker, Sendable {
  private let values = Mutex<[String: [UInt8]]>([:])

  /// Begins without states.
  public init() {}

  /// State name and the SHA-256 of its value, 64 hex digits.
  public var states: [String: String] {
    values.withLock { $0.mapValues { ObjectID(hashing: $0).description } }
  }

  /// Throws `CaretakerError` for data that cannot be kept.
  public func save<T: Memento>(memento: T, for stateName: String) throws {
    let bytes = try ValueForms.bytes(memento)
    values.withLock { $0[stateName] = bytes }
  }

  /// Nil when there is no such state, or when its data is not what `T` accepts.
  public func restore<T: Memento>(state: String) -> T? {
    values.withLock { $0[state] }.flatMap { ValueForms.memento($0) }
  }

  /// Throws `CaretakerError.noSuchState`.
  public func delete(state: String) throws {
    guard values.withLock({ $0.removeValue(forKey: state) }) != nil else { throw CaretakerError.noSuchState(state) }
  }

  /// Throws `CaretakerError` for a value that cannot be encoded.
  public func save<T: Encodable>(_ value: T, for stateName: String) throws {
    let bytes = try ValueForms.bytes(value)
    values.withLock { $0[stateName] = bytes }
  }

  /// Nil when there is no such state. Throws `CaretakerError` for a value of another shape.
  public func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T? {
    try values.withLock { $0[state] }.map { try ValueForms.value(type, $0, state: state) }
  }

  /// The memento of a state by its name: `let user = caretaker.defaultUser as User?`
  public subscript<T: Memento>(dynamicMember state: String) -> T? {
    restore(state: state)
  }
}
