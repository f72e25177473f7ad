// Why a value could not be kept or given back.

/// Why a caretaker could not keep a value or give it back. What lies below (no permission, a full disk, a damaged store) is a
/// `RepositoryError`.
public enum CaretakerError: Error, Equatable, Sendable {
  /// The data holds a type that cannot be kept. `keyPath`: where, as in `shapes[3].color`.
  case unsupportedType(String, keyPath: String)
  /// Arrays and dictionaries are nested more than 100 deep.
  case tooDeep(keyPath: String)
  /// The value's own `encode(to:)` failed.
  case notEncodable(reason: String, keyPath: String)
  /// There is no state of that name.
  case noSuchState(String)
  /// The state is a folder and not a value.
  case notAValue(state: String)
  /// The value lacks a key that the type asks for.
  case missingKey(String, state: String)
  /// The value has another shape than the type asks for. `keyPath`: where; empty for the whole.
  case mismatch(reason: String, keyPath: String, state: String)
}

extension CaretakerError: CustomStringConvertible {
  /// One line: what and why.
  public var description: String {
    switch self {
    case .unsupportedType(let type, let keyPath):
      "\(Self.place(keyPath)) is of the type \(type), which a memento cannot hold"
    case .tooDeep(let keyPath): "\(Self.place(keyPath)) is nested too deeply"
    case .notEncodable(let reason, let keyPath): "\(Self.place(keyPath)) cannot be encoded: \(reason)"
    case .noSuchState(let state): "there is no state \"\(state)\""
    case .notAValue(let state): "the state \"\(state)\" is a folder, not a value"
    case .missingKey(let key, let state): "the value of \"\(state)\" has no key \"\(key)\""
    case .mismatch(let reason, let keyPath, let state):
      "the value of \"\(state)\" does not fit\(keyPath.isEmpty ? "" : " at \"\(keyPath)\""): \(reason)"
    }
  }

  private static func place(_ keyPath: String) -> String {
    keyPath.isEmpty ? "the value" : "\"\(keyPath)\""
  }
}

extension CaretakerError {
  init(_ error: DecodingError, state: String) {
    switch error {
    case .keyNotFound(let key, let context):
      self = .missingKey(Self.text(context.codingPath + [key]), state: state)
    case .valueNotFound(let type, let context):
      self = .mismatch(
        reason: "a value of type \(type) is missing", keyPath: Self.text(context.codingPath), state: state)
    case .typeMismatch(let type, let context):
      self = .mismatch(reason: "it is not of type \(type)", keyPath: Self.text(context.codingPath), state: state)
    case .dataCorrupted(let context):
      self = .mismatch(reason: context.debugDescription, keyPath: Self.text(context.codingPath), state: state)
    @unknown default:
      self = .mismatch(reason: "\(error)", keyPath: "", state: state)
    }
  }

  init(_ error: EncodingError) {
    switch error {
    case .invalidValue(_, let context):
      self = .notEncodable(reason: context.debugDescription, keyPath: Self.text(context.codingPath))
    @unknown default:
      self = .notEncodable(reason: "\(error)", keyPath: "")
    }
  }

  /// `shapes[3].color`
  private static func text(_ path: [any CodingKey]) -> String {
    var result = ValuePath()
    for key in path { result = key.intValue.map { result.element($0) } ?? result.key(key.stringValue) }
    return result.text
  }
}
