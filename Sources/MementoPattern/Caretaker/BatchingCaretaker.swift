// Several changes of states that are made together.

/// One change of a state.
public struct StateChange: Sendable, Equatable {
  /// The name of the state.
  public let name: String
  /// The new value as canonical JSON text in UTF-8; nil: the state is deleted.
  public let value: [UInt8]?

  /// `value`: canonical JSON text in UTF-8; nil deletes the state.
  public init(name: String, value: [UInt8]?) {
    self.name = name
    self.value = value
  }
}

/// A caretaker that makes several changes at once and may be used from any thread. A `History` keeps its states with such a
/// caretaker in the background.
public protocol BatchingCaretaker: CodableCaretaker, Sendable {
  /// Makes all of the changes or, when it throws, none. A state that is to be deleted and is not there is passed over. No two
  /// changes are of the same state.
  func apply(_ changes: [StateChange]) throws
}
