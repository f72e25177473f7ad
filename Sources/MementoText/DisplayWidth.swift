// The number of terminal columns of a text: two for ideographs and emoji, none for combining marks.

package enum DisplayWidth {
  package static func of(_ text: String) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
  }

  /// As much of the beginning of a text as fits, with `ellipsis` where something is left out.
  package static func cut(_ text: String, to columns: Int, _ ellipsis: String = "…") -> String {
    if of(text) <= columns { return text }
    var width = of(ellipsis)
    if columns < width { return String(ellipsis.prefix(max(0, columns))) }
    var shown = ""
    for character in text {
      width += of(character)
      if width > columns { break }
      shown.append(character)
    }
    return shown + ellipsis
  }

  /// The parts of a text that fit into lines of so many columns. It is parted after spaces where there are some.
  package static func parts(of text: String, columns: Int) -> [String] {
    if of(text) <= columns { return [text] }
    var parts: [String] = []
    var part: [Character] = []
    var width = 0
    for character in text {
      let own = of(character)
      if width + own > columns, !part.isEmpty {
        // A space where the line ends is seen by nobody, so it may stand there.
        let space = character == " " ? part.endIndex : part.lastIndex(of: " ").map { $0 + 1 }
        let end = space.flatMap { part[..<$0].allSatisfy { $0 == " " } ? nil : $0 } ?? part.endIndex
        var line = part[..<end]
        while line.last == " " { line.removeLast() }
        parts.append(String(line))
        part.removeFirst(end)
        width = part.reduce(0) { $0 + of($1) }
        if part.isEmpty, character == " " { continue }
      }
      part.append(character)
      width += own
    }
    return part.isEmpty ? parts : parts + [String(part)]
  }

  /// The columns of one character, with its combining marks.
  package static func of(_ character: Character) -> Int {
    if let byte = character.utf8.first, byte < 0x80, character.utf8.count == 1 { return 1 }
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    return isWide(scalar) || character.unicodeScalars.dropFirst().contains("\u{FE0F}") ? 2 : 1
  }

  /// East Asian Width W and F, by Unicode block. That is exact enough to align columns.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}
