// The arguments of a tool: what its schema says of them, and their values once they were checked.

struct ToolArgument: Sendable {
  enum Kind: Sendable {
    case text
    case texts
    case flag
    case count
  }

  let name: String
  let kind: Kind
  let about: String
  var isRequired = false

  static func schema(_ arguments: [ToolArgument]) -> JSONNode {
    let properties = arguments.map { JSONNode.Member(name: $0.name, value: $0.schema) }
    var schema: JSONNode = ["type": "object", "properties": .object(properties)]
    let required = arguments.filter(\.isRequired).map { JSONNode.text($0.name) }
    if !required.isEmpty { schema = schema.setting("required", .list(required)) }
    return schema.setting("additionalProperties", false)
  }

  private var schema: JSONNode {
    switch kind {
    case .text: ["type": "string", "description": .text(about)]
    case .texts: ["type": "array", "items": ["type": "string"], "description": .text(about)]
    case .flag: ["type": "boolean", "description": .text(about)]
    case .count: ["type": "integer", "minimum": 0, "description": .text(about)]
    }
  }
}

/// An argument that is wrong. A model can read why, and try again.
struct WrongArgument: Error, Equatable {
  let message: String
}

/// The values of arguments, each of the kind that it must be.
struct ToolArguments {
  private let values: [String: JSONNode]

  init(_ node: JSONNode, _ known: [ToolArgument]) throws(WrongArgument) {
    var values: [String: JSONNode] = [:]
    for member in node.members ?? [] {
      guard let argument = known.first(where: { $0.name == member.name }) else {
        throw WrongArgument(message: "there is no argument \"\(member.name)\"")
      }
      if member.value == .null { continue }
      guard ToolArguments.fits(member.value, argument.kind) else {
        throw WrongArgument(message: "\"\(member.name)\" is not \(ToolArguments.word(argument.kind))")
      }
      values[member.name] = member.value
    }
    for argument in known where argument.isRequired && values[argument.name] == nil {
      throw WrongArgument(message: "\"\(argument.name)\" is missing")
    }
    self.values = values
  }

  private static func fits(_ value: JSONNode, _ kind: ToolArgument.Kind) -> Bool {
    switch kind {
    case .text: value.text.map { !$0.utf8.contains(0) } == true
    case .texts: value.list?.allSatisfy { $0.text.map { !$0.utf8.contains(0) } == true } == true
    case .flag: value.bool != nil
    case .count: value.integer.map { $0 >= 0 } == true
    }
  }

  private static func word(_ kind: ToolArgument.Kind) -> String {
    switch kind {
    case .text: "a text"
    case .texts: "a list of texts"
    case .flag: "true or false"
    case .count: "a whole number, 0 or more"
    }
  }

  func flag(_ name: String) -> Bool { values[name]?.bool == true }
  func count(_ name: String) -> Int? { values[name]?.integer }
  func text(_ name: String) -> String? { values[name]?.text }
  func texts(_ name: String) -> [String] { values[name]?.list?.compactMap(\.text) ?? [] }

  /// The name of a state or of a snapshot. One that begins with a dash would be taken for an option, and no name does.
  func name(_ name: String) throws(WrongArgument) -> String? {
    guard let text = text(name) else { return nil }
    if text.isEmpty || text.hasPrefix("-") { throw WrongArgument(message: "\"\(text)\" is no name") }
    return text
  }

  /// Paths relative to the folder, none of which can be taken for an option.
  func paths(_ name: String) throws(WrongArgument) -> [String] {
    var paths: [String] = []
    for path in texts(name) {
      if path.isEmpty { throw WrongArgument(message: "a path in \"\(name)\" is empty") }
      paths.append(path.hasPrefix("-") ? "./" + path : path)
    }
    return paths
  }
}
