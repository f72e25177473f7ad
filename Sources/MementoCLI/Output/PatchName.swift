// File names in a patch, as git writes them and as git and GNU patch read them. A name is quoted with C escapes if it
// would be misread as it is, or if it has characters that control a terminal.

enum PatchName {
  /// A name on a line with nothing after it.
  static func text(_ bytes: [UInt8]) -> String {
    isPlain(bytes) ? String(decoding: bytes, as: UTF8.self) : quoted(bytes)
  }

  /// A name that is followed by a space.
  static func word(_ bytes: [UInt8]) -> String {
    isPlain(bytes) && !bytes.contains(UInt8(ascii: " ")) ? String(decoding: bytes, as: UTF8.self) : quoted(bytes)
  }

  /// A name after `---` or `+++`. A name that contains a space ends with a tab.
  static func header(_ bytes: [UInt8]) -> String {
    guard isPlain(bytes) else { return quoted(bytes) }
    return String(decoding: bytes, as: UTF8.self) + (bytes.contains(UInt8(ascii: " ")) ? "\t" : "")
  }

  private static func isPlain(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    return bytes.last != UInt8(ascii: " ") && !bytes.contains(UInt8(ascii: "\"")) && !bytes.contains(UInt8(ascii: "\\"))
      && TerminalText.escaped(text) == text
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    var text = "\""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""): text += "\\\""
      case UInt8(ascii: "\\"): text += "\\\\"
      case UInt8(ascii: "\n"): text += "\\n"
      case UInt8(ascii: "\t"): text += "\\t"
      case UInt8(ascii: "\r"): text += "\\r"
      case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 8)
        text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return text + "\""
  }
}
