// The Memento pattern (Gamma, Helm, Johnson, Vlissides, "Design Patterns", 1994). An originator saves its state in
// mementos and restores itself from them. A caretaker stores mementos and does not look inside.

/// A value that can be saved and created again from its parts.
///
/// `data` may contain `String`, `Bool`, all integer types, `Double`, `Float`, `Data` and `Date`, arrays of these,
/// dictionaries of these with `String` keys, and optionals of them. Each comes back with its type and its exact value.
public protocol Memento {
  /// The parts, by name.
  var data: [String: Any] { get }
  /// Creates the value again from its parts. Returns nil when a part is missing or has another type.
  init?(data: [String: Any])
}

/// A value that saves its state in mementos and restores itself from them.
public protocol Originator {
  /// The type of its mementos.
  associatedtype Snapshot: Memento
  /// The current state as a memento.
  func save() -> Snapshot
  /// Replaces the current state by that of a memento.
  mutating func restore(_ memento: Snapshot)
}

/// Stores mementos under state names and does not look inside.
public protocol Caretaker {
  /// All state names, each with an identifier of the stored value.
  var states: [String: String] { get }
  /// Saves a memento under a name. A name that is already in use refers to the new memento afterwards. When it throws,
  /// nothing is saved.
  mutating func save<T: Memento>(memento: T, for stateName: String) throws
  /// The memento of a state. nil when there is no such state, or when `T` does not accept its data.
  func restore<T: Memento>(state: String) throws -> T?
  /// Deletes a state. Throws when there is no such state.
  mutating func delete(state: String) throws
}

/// A caretaker that also stores any `Codable` value.
public protocol CodableCaretaker: Caretaker {
  /// Saves a value under a name. When it throws, nothing is saved.
  mutating func save<T: Encodable>(_ value: T, for stateName: String) throws
  /// The value of a state; nil when there is no such state. Throws `CaretakerError`, which names the part that does not
  /// fit, when the value does not decode as `T`.
  func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T?
}
