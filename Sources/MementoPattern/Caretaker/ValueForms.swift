// From values to the bytes that are kept, and back: the same for every caretaker that keeps bytes.

package enum ValueForms {
  package static func bytes(_ memento: some Memento) throws -> [UInt8] {
    try ValueJSON.encode(data: memento.data)
  }

  package static func bytes(_ value: some Encodable) throws -> [UInt8] {
    do {
      return try ValueJSON.encode(value)
    } catch let error as EncodingError {
      throw CaretakerError(error)
    }
  }

  /// Nil for bytes that `T` does not accept.
  package static func memento<T: Memento>(_ bytes: [UInt8]) -> T? {
    ValueJSON.data(bytes).flatMap { T(data: $0) }
  }

  package static func value<T: Decodable>(_ type: T.Type, _ bytes: [UInt8], state: String) throws -> T {
    do {
      return try ValueJSON.decode(type, from: bytes)
    } catch let error as DecodingError {
      throw CaretakerError(error, state: state)
    }
  }
}
