// Encodes documents as JSON: one line with sorted keys in snake case.

import FoundationEssentials

enum JSONText {
  static func line(_ document: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    // Documents contain only text, integers and booleans, and encoding these cannot fail.
    guard let data = try? encoder.encode(document) else { return "{}\n" }
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  static func base64(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
  }
}

/// A value that is encoded as null when it is nil. JSONEncoder leaves a plain optional out.
struct OrNull<Value: Encodable>: Encodable {
  let value: Value?

  init(_ value: Value?) {
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let value { try container.encode(value) } else { try container.encodeNil() }
  }
}
