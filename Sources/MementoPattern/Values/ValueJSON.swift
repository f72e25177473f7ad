// Values as canonical JSON: one line with sorted keys, so that equal values have equal bytes and are stored once.

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Encodes and decodes the JSON that is stored.
enum ValueJSON {
  /// Any encodable value as canonical JSON.
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return Array(try encoder.encode(value))
  }

  /// The value in the bytes. Throws `DecodingError` when they do not decode as `T`.
  static func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: Data(bytes))
  }

  /// The data of a memento as canonical JSON. Throws `CaretakerError` when it cannot be stored.
  static func encode(data: [String: Any]) throws -> [UInt8] {
    try encode(try Value(data).tagged)
  }

  /// The data of a memento from its stored bytes; nil when they are not a JSON object.
  static func data(_ bytes: [UInt8]) -> [String: Any]? {
    // The bytes are in memory: the answer says all.
    guard let value = try? decode(Value.self, from: bytes), case .dictionary = value else { return nil }
    return value.untagged.any as? [String: Any]
  }
}

/// Covers the types that JSON has. All others are tagged before.
extension Value: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Each form is tried: the bytes are in memory, so a failure is an answer.
    func form<Form: Decodable>(_ form: Form.Type) -> Form? { try? container.decode(form) }
    if let value = form(String.self) {
      self = .string(value)
    } else if let value = form(Int.self) {
      self = .integer(.int, Int128(value))
    } else if let value = form([String: Value].self) {
      self = .dictionary(value)
    } else if let value = form(Bool.self) {
      self = .bool(value)
    } else if let value = form(UInt64.self) {
      self = .integer(.uint64, Int128(value))
    } else if let value = form(Double.self) {
      self = .double(value)
    } else if container.decodeNil() {
      self = .null
    } else {
      self = .array(try container.decode([Value].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(_, let value): try container.encode(Int(truncatingIfNeeded: value))
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .dictionary(let values): try container.encode(values)
    case .float, .data, .date: try container.encode(tagged)
    }
  }
}
