// Reasons why a value could not be saved or restored.

/// The reason why a caretaker could not save or restore a value. Errors of the store below (no permission, a full disk,
/// damage) are a `RepositoryError`.
public struct CaretakerError: Error, Equatable, Sendable {
  /// The kind of a failure. New codes may be added: a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case unsupportedType = "unsupported-type"
      case tooDeep = "too-deep"
      case notEncodable = "not-encodable"
      case noSuchState = "no-such-state"
      case notAValue = "not-a-value"
      case missingKey = "missing-key"
      case mismatch
    }

    private let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// The code as a word, for example `no-such-state`.
    public var description: String { kind.rawValue }

    /// The data contains a type that cannot be stored. `detail` has the type, `keyPath` the place.
    public static let unsupportedType = Code(.unsupportedType)
    /// Arrays and dictionaries are nested more than 100 deep. `keyPath` has the place.
    public static let tooDeep = Code(.tooDeep)
    /// The value's own `encode(to:)` failed. `keyPath` has the place, `detail` the reason.
    public static let notEncodable = Code(.notEncodable)
    /// There is no state of that name.
    public static let noSuchState = Code(.noSuchState)
    /// The state is a folder and not a value.
    public static let notAValue = Code(.notAValue)
    /// The value has no value for a key that the type needs: `keyPath`.
    public static let missingKey = Code(.missingKey)
    /// The value does not decode as the type. `keyPath` has the place, `detail` the reason.
    public static let mismatch = Code(.mismatch)
  }

  /// The kind of the failure.
  public let code: Code
  /// The name of the state that was to be restored or deleted; nil for an error of saving.
  public let state: String?
  /// The place in the value, for example `shapes[3].color`; empty for the whole value.
  public let keyPath: String
  /// A type that cannot be stored, or the reason why a value does not fit, as a phrase; empty where `code` says
  /// everything.
  public let detail: String

  private init(_ code: Code, state: String? = nil, keyPath: String = "", detail: String = "") {
    self.code = code
    self.state = state
    self.keyPath = keyPath
    self.detail = detail
  }

  /// The data contains a type that cannot be stored. `keyPath` is the place, for example `shapes[3].color`.
  public static func unsupportedType(_ type: String, keyPath: String) -> CaretakerError {
    CaretakerError(.unsupportedType, keyPath: keyPath, detail: type)
  }

  /// Arrays and dictionaries are nested more than 100 deep.
  public static func tooDeep(keyPath: String) -> CaretakerError {
    CaretakerError(.tooDeep, keyPath: keyPath)
  }

  /// The value's own `encode(to:)` failed.
  public static func notEncodable(reason: String, keyPath: String) -> CaretakerError {
    CaretakerError(.notEncodable, keyPath: keyPath, detail: reason)
  }

  /// There is no state of that name.
  public static func noSuchState(_ state: String) -> CaretakerError {
    CaretakerError(.noSuchState, state: state)
  }

  /// The state is a folder and not a value.
  public static func notAValue(state: String) -> CaretakerError {
    CaretakerError(.notAValue, state: state)
  }

  /// The value has no value for a key that the type needs.
  public static func missingKey(_ key: String, state: String) -> CaretakerError {
    CaretakerError(.missingKey, state: state, keyPath: key)
  }

  /// The value does not decode as the type. `keyPath` is the place; empty for the whole value.
  public static func mismatch(reason: String, keyPath: String, state: String) -> CaretakerError {
    CaretakerError(.mismatch, state: state, keyPath: keyPath, detail: reason)
  }
}

extension CaretakerError: CustomStringConvertible {
  /// The failure in one line, with its place and reason.
  public var description: String {
    let place = keyPath.isEmpty ? "the value" : "\"\(keyPath)\""
    let state = state ?? ""
    return switch code {
    case .unsupportedType: "\(place) is of the type \(detail), which a memento cannot hold"
    case .tooDeep: "\(place) is nested too deeply"
    case .notEncodable: "\(place) cannot be encoded: \(detail)"
    case .noSuchState: "there is no state \"\(state)\""
    case .notAValue: "the state \"\(state)\" is a folder, not a value"
    case .missingKey: "the value of \"\(state)\" has no key \"\(keyPath)\""
    default: "the value of \"\(state)\" does not fit\(keyPath.isEmpty ? "" : " at \"\(keyPath)\""): \(detail)"
    }
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

  /// The path as text, for example `shapes[3].color`.
  private static func text(_ path: [any CodingKey]) -> String {
    var result = ValuePath()
    for key in path { result = key.intValue.map { result.element($0) } ?? result.key(key.stringValue) }
    return result.text
  }
}
