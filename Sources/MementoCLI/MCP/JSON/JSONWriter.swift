// Writes JSON in one line: line breaks in texts are escaped.

enum JSONWriter {
  static func text(_ node: JSONNode) -> String {
    var text = ""
    write(node, to: &text)
    return text
  }

  /// Its depth is that of the node, and what was read from outside is no deeper than `JSONReader.deepest`.
  private static func write(_ node: JSONNode, to text: inout String) {
    switch node {
    case .null: text += "null"
    case .bool(let bool): text += bool ? "true" : "false"
    case .number(let literal): text += literal
    case .text(let content): quote(content, to: &text)
    case .list(let nodes):
      text += "["
      for (index, node) in nodes.enumerated() {
        if index > 0 { text += "," }
        write(node, to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        quote(member.name, to: &text)
        text += ":"
        write(member.value, to: &text)
      }
      text += "}"
    }
  }

  private static func quote(_ content: String, to text: inout String) {
    text += "\""
    for scalar in content.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case "\u{0}"..."\u{1F}", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
