// Escapes text for a terminal. Names, messages and paths may contain control characters, which a terminal would obey,
// so only visible text is printed. A control character becomes `\n`, `\t`, `\r` or `\xHH`. Any other character that is
// invisible or changes the direction of text becomes `\u{HEX}`. A byte that is not UTF-8 becomes `\xHH`. A backslash
// becomes `\\`, but only in a text in which something else was escaped, so that names with backslashes stay readable.
// Escaping a text twice gives the same as escaping it once.

package import MementoModel

package enum TerminalText {
  package static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: mustBeEscaped) else { return text }
    return escaped(TextUnit.units(of: Array(text.utf8)))
  }

  package static func escaped(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return escaped(text) }
    return escaped(TextUnit.units(of: bytes))
  }

  package static func escaped(_ path: BytePath) -> String {
    escaped(path.bytes)
  }

  /// The first line of a message, with `ellipsis` if there are more lines.
  package static func firstLine(_ message: String, _ ellipsis: String = "…") -> String {
    let lines = message.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline)
    guard let first = lines.first else { return "" }
    return escaped(String(first)) + (lines.count > 1 ? " " + ellipsis : "")
  }

  private static func escaped(_ units: [TextUnit]) -> String {
    var text = ""
    for unit in units {
      switch unit {
      case .byte(let byte): text += "\\x" + hex(UInt32(byte), width: 2)
      case .scalar("\\"): text += "\\\\"
      case .scalar("\n"): text += "\\n"
      case .scalar("\t"): text += "\\t"
      case .scalar("\r"): text += "\\r"
      case .scalar(let scalar) where scalar.value < 0x80 && mustBeEscaped(scalar):
        text += "\\x" + hex(scalar.value, width: 2)
      case .scalar(let scalar) where mustBeEscaped(scalar): text += "\\u{" + hex(scalar.value, width: 1) + "}"
      case .scalar(let scalar): text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  package static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value < 0x20 }
    switch scalar.properties.generalCategory {
    // The category "format" includes bidirectional controls and zero-width characters.
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
    }
  }

  private static func hex(_ value: UInt32, width: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
