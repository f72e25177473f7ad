// A tool for models: its description, and how it becomes command lines.

struct AgentTool: Sendable {
  /// What clients are told of a tool before it is called.
  enum Effect: Sendable {
    /// Changes nothing.
    case looks
    /// Adds to the store, and changes no file of the folder.
    case records
    /// Changes files of the folder. What they were is saved before.
    case changesFiles

    var annotations: JSONNode {
      [
        "readOnlyHint": .bool(self == .looks), "destructiveHint": .bool(self == .changesFiles),
        "idempotentHint": .bool(self == .looks), "openWorldHint": false,
      ]
    }
  }

  let name: String
  let title: String
  let about: String
  let effect: Effect
  let arguments: [ToolArgument]
  /// The members that its document always has, with their JSON types.
  let members: [(name: String, type: JSONNode)]
  let run: @Sendable (ToolArguments, ToolCommandLine) throws -> JSONNode

  var description: JSONNode {
    let properties = members.map { JSONNode.Member(name: $0.name, value: ["type": $0.type]) }
    return [
      "name": .text(name), "title": .text(title), "description": .text(about),
      "inputSchema": ToolArgument.schema(arguments),
      "outputSchema": [
        "type": "object", "properties": .object(properties), "required": .list(members.map { .text($0.name) }),
      ],
      "annotations": effect.annotations.setting("title", .text(title)),
    ]
  }
}

/// Lists of results, cut to what a model can read.
enum ResultLimit {
  /// How many elements a list may have.
  static let elements = 1000
  /// How many bytes a text may have.
  static let text = 256 << 10

  /// The document with its long lists cut. `NAME_omitted` says how many elements a list lost.
  static func cut(_ document: JSONNode) -> JSONNode {
    var result = document
    for member in document.members ?? [] {
      guard let list = member.value.list, list.count > elements else { continue }
      let name = member.name + "_omitted"
      result = result.setting(member.name, .list(Array(list.prefix(elements))))
        .setting(name, .number(String(list.count - elements + (document[name]?.integer ?? 0))))
    }
    return result
  }
}
