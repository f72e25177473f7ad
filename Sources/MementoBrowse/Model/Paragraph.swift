// Breaks a sentence into lines.

import MementoText

package enum Paragraph {
  /// At most `limit` lines of `width` columns; the last one ends with `…` when there is more.
  package static func lines(_ text: String, width: Int, limit: Int) -> [String] {
    guard width > 0, limit > 0 else { return [] }
    var lines: [String] = []
    var line = ""
    for word in words(of: text, width: width) {
      let joined = line.isEmpty ? word : line + " " + word
      if DisplayWidth.of(joined) <= width {
        line = joined
      } else if lines.count + 1 == limit {
        return lines + [DisplayWidth.cut(joined, to: width)]
      } else {
        lines.append(line)
        line = word
      }
    }
    return lines + [line]
  }

  /// The words, and the pieces of those that are wider than a line.
  private static func words(of text: String, width: Int) -> [String] {
    text.split(separator: " ").flatMap { word -> [String] in
      var pieces = [""]
      var used = 0
      for character in word {
        let columns = DisplayWidth.of(character)
        if used + columns > width, used > 0 {
          pieces.append("")
          used = 0
        }
        pieces[pieces.count - 1].append(character)
        used += columns
      }
      return pieces
    }
  }
}
