// The Memento pattern (Gamma, Helm, Johnson, Vlissides, "Design Patterns", 1994): an originator makes mementos of itself and
// goes back to them; a caretaker keeps them and does not look inside.

/// A value that can be saved and rebuilt from its parts.
///
/// `data` may hold `String`, `Bool`, all integer types, `Double`, `Float`, `Data`, `Date`, arrays and dictionaries with
/// `String` keys of these, and optionals of them. Each comes back with its type and its exact value.
public protocol Memento {
  /// The parts, by name.
  var data: [String: Any] { get }
  /// Rebuilds the value; nil when a part is missing or of another type.
  init?(data: [String: Any])
}

/// Something that creates mementos of itself and goes back to them.
public protocol Originator {
  /// What it is rebuilt from.
  associatedtype Snapshot: Memento
  /// The present state.
  func save() -> Snapshot
  /// Goes back to a state.
  mutating func restore(_ memento: Snapshot)
}

/// Keeps mementos under state names, and knows nothing of what is inside.
public protocol Caretaker {
  /// What each state name refers to.
  var states: [String: String] { get }
  /// Keeps a memento under a name; a name in use moves to the new one. Nothing is saved when it throws.
  mutating func save<T: Memento>(memento: T, for stateName: String) throws
  /// The memento of a state. Nil when there is no such state, or when its data is not what `T` accepts.
  func restore<T: Memento>(state: String) throws -> T?
  /// Forgets a state. Throws when there is none of that name.
  mutating func delete(state: String) throws
}

/// A caretaker that also keeps any `Codable` value.
public protocol CodableCaretaker: Caretaker {
  /// Keeps a value under a name.
  mutating func save<T: Encodable>(_ value: T, for stateName: String) throws
  /// The value of a state; nil when there is no such state. A value of another shape throws `CaretakerError`, which says
  /// what is missing.
  func restore<T: Decodable>(_ type: T.Type, state: String) throws -> T?
}
