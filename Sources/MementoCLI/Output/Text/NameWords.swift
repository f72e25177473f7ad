// The names of a snapshot in one cell. Where there is no room for all, the rest is counted: `one, two (+3)`.

enum NameWords {
  static func text(_ names: [String], within columns: Int?, _ ellipsis: String = "…") -> String {
    let words = names.map { TerminalText.escaped($0) }
    let all = words.joined(separator: ", ")
    guard let columns, DisplayWidth.of(all) > columns else { return all }
    var shown = ""
    for (index, word) in words.enumerated() {
      let rest = words.count - index - 1
      let next = shown + (index == 0 ? "" : ", ") + word
      let end = rest == 0 ? "" : " (+\(rest))"
      if DisplayWidth.of(next + end) > columns {
        if index > 0 { return shown + " (+\(rest + 1))" }
        // Not even the first one fits, so it is cut.
        return DisplayWidth.cut(word, to: max(1, columns - DisplayWidth.of(end)), ellipsis) + end
      }
      shown = next
    }
    return shown
  }
}
