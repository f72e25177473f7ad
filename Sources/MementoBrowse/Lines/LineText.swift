// A line of a file as it is shown: no control characters, no tabs, and no end that nobody would scroll to.

import MementoText

enum LineText {
  /// Bytes of a line that are shown.
  private static let longest = 4096
  private static let tabWidth = 8

  /// `bytes` are a line, with or without its line break.
  static func shown(_ bytes: ArraySlice<UInt8>) -> String {
    var line = bytes
    if line.last == UInt8(ascii: "\n") { line = line.dropLast() }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    let isCut = line.count > longest
    if isCut {
      line = line.prefix(longest)
      // Not in the middle of a character.
      while let last = line.last, last & 0xC0 == 0x80 { line = line.dropLast() }
      if let last = line.last, last >= 0xC0 { line = line.dropLast() }
    }
    return expanded(VisibleContent.line(line)) + (isCut ? "…" : "")
  }

  private static func expanded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\t")) else { return text }
    var result = ""
    var column = 0
    for character in text {
      if character == "\t" {
        let width = tabWidth - column % tabWidth
        result += String(repeating: " ", count: width)
        column += width
      } else {
        result.append(character)
        column += DisplayWidth.of(character)
      }
    }
    return result
  }
}
