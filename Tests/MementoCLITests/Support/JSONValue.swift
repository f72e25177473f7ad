// A JSON document taken apart, to look at its fields.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

enum JSONValue: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Int)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// Parses one document that is one line.
  init(_ bytes: [UInt8]) throws {
    guard bytes.last == UInt8(ascii: "\n"), !bytes.dropLast().contains(UInt8(ascii: "\n")) else { throw NotOneLine() }
    self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  subscript(_ key: String) -> JSONValue {
    if case .object(let fields) = self { return fields[key] ?? .null }
    return .null
  }

  var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  var number: Int? {
    if case .number(let number) = self { return number }
    return nil
  }

  var list: [JSONValue] {
    if case .list(let list) = self { return list }
    return []
  }

  /// What kind of value it is: `text`, `number`, `null`…
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .number: "number"
    case .text: "text"
    case .list: "list"
    case .object: "object"
    }
  }

  /// The fields that a contract names and that are missing or of another kind. `text|null` allows both.
  func breaches(of contract: [String: String]) -> [String] {
    guard case .object(let fields) = self else { return ["not an object"] }
    return contract.sorted { $0.key < $1.key }.compactMap { name, kinds in
      guard let value = fields[name] else { return "\(name) is missing" }
      return kinds.split(separator: "|").contains { $0 == value.kind } ? nil : "\(name) is \(value.kind)"
    }
  }
}

struct NotOneLine: Error {}

/// The fields that cli.md promises.
enum Contract {
  static let snapshot = [
    "id": "text", "parent": "text|null", "kind": "text", "name": "text|null", "message": "text|null", "time": "text",
    "user": "text", "host": "text", "files": "number", "bytes": "number", "complete": "bool",
  ]
  static let save = [
    "schema": "number", "snapshot": "object", "added": "number", "modified": "number", "removed": "number",
    "bytes_read": "number", "bytes_stored": "number", "problems": "list",
  ]
  static let restore = [
    "schema": "number", "snapshot": "object", "guard": "text|null", "created": "number", "replaced": "number",
    "removed": "number", "metadata": "number", "bytes_written": "number", "problems": "list",
  ]
  static let state = ["name": "text", "current": "bool", "snapshot": "object"]
  static let entry = ["op": "text", "time": "text", "current": "bool", "names": "list", "snapshot": "object"]
  static let error = ["type": "text", "code": "number", "id": "text", "message": "text"]

  /// `2026-06-01T12:00:05.000000007Z`
  static func isTime(_ value: JSONValue) -> Bool {
    let pattern = Array("dddd-dd-ddTdd:dd:dd.dddddddddZ")
    guard let text = value.text.map(Array.init), text.count == pattern.count else { return false }
    return zip(text, pattern).allSatisfy { $1 == "d" ? $0.isNumber : $0 == $1 }
  }

  static func isID(_ value: JSONValue) -> Bool {
    value.text?.count == 64 && value.text?.allSatisfy { $0.isHexDigit && !$0.isUppercase } == true
  }
}
