// Converts values to the bytes that caretakers store, and back. All caretakers that store bytes use it.

package enum ValueForms {
  /// The data of a memento as canonical JSON. Throws `CaretakerError` for data that cannot be stored.
  package static func bytes(_ memento: some Memento) throws -> [UInt8] {
    try ValueJSON.encode(data: memento.data)
  }

  /// A value as canonical JSON. Throws `CaretakerError` when it cannot be encoded, and any error of its own
  /// `encode(to:)`.
  package static func bytes(_ value: some Encodable) throws -> [UInt8] {
    do {
      return try ValueJSON.encode(value)
    } catch let error as EncodingError {
      throw CaretakerError(error)
    }
  }

  /// The memento in the bytes. nil when they are not a JSON object or `T` does not accept the data.
  package static func memento<T: Memento>(_ bytes: [UInt8]) -> T? {
    ValueJSON.data(bytes).flatMap { T(data: $0) }
  }

  /// The value in the bytes. Throws `CaretakerError`, with the name `state`, when they do not decode as `T`.
  package static func value<T: Decodable>(_ type: T.Type, _ bytes: [UInt8], state: String) throws -> T {
    do {
      return try ValueJSON.decode(type, from: bytes)
    } catch let error as DecodingError {
      throw CaretakerError(error, state: state)
    }
  }
}
