// Shows the content of files on a terminal. Control characters are made visible as in less(1). Pipes and files get the
// exact bytes instead.

package enum VisibleContent {
  /// A line without its line break. ESC becomes `^[`, a byte that is not UTF-8 `<9B>`, an invisible character
  /// `<U+202E>`.
  package static func line(_ bytes: ArraySlice<UInt8>) -> String {
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == UInt8(ascii: "\t") }) {
      return String(decoding: bytes, as: UTF8.self)
    }
    var text = ""
    for unit in TextUnit.units(of: Array(bytes)) {
      switch unit {
      case .byte(let byte): text += "<" + hex(UInt32(byte), width: 2) + ">"
      case .scalar("\t"): text += "\t"
      case .scalar(let scalar) where scalar.value < 0x20 || scalar.value == 0x7F:
        text += "^"
        text.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value) ^ 0x40))
      case .scalar(let scalar) where TerminalText.mustBeEscaped(scalar):
        text += "<U+" + hex(scalar.value, width: 4) + ">"
      case .scalar(let scalar): text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func hex(_ value: UInt32, width: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
