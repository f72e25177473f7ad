// Changes several states together.

/// One change of a state.
public struct StateChange: Sendable, Equatable {
  /// The state name.
  public let name: String
  /// The new value as canonical JSON text in UTF-8. nil deletes the state.
  public let value: [UInt8]?

  /// Creates a change of the state `name`. `value` is canonical JSON text in UTF-8; nil deletes the state.
  public init(name: String, value: [UInt8]?) {
    self.name = name
    self.value = value
  }
}

/// A caretaker that makes several changes at once and may be used from any thread. A `History` saves its states in the
/// background with such a caretaker.
public protocol BatchingCaretaker: CodableCaretaker, Sendable {
  /// Makes all of the changes. When it throws, none is made. Deleting a state that does not exist is no error. The
  /// changes are all of different states.
  func apply(_ changes: [StateChange]) throws
}
