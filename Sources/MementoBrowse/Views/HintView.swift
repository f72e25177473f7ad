// The last line: what keys do here, or what is being typed or done.

import MementoText

enum HintView {
  private struct Hint {
    let key: String
    let meaning: String

    init(_ key: String, _ meaning: String) {
      self.key = key
      self.meaning = meaning
    }

    var width: Int { key.count + 1 + meaning.count }
  }

  static func draw(_ state: BrowserState, _ row: Int, in columns: Range<Int>, on grid: inout Grid) {
    if let prompt = state.prompt {
      // The end of what is typed is where somebody looks.
      let shown = tail(prompt, columns.count - 2)
      let end = grid.write("/" + shown, row: row, in: columns)
      grid.write(" ", row: row, in: end..<columns.upperBound, CellStyle(.plain, isReversed: true))
      return
    }
    switch state.work {
    case .planning?:
      grid.write("looking what would change   Esc stop", row: row, in: columns, CellStyle(.heading))
    case .performing(let change, let progress)?:
      let text = progress.isEmpty ? change.verb : "\(change.verb): \(progress)"
      grid.write(text + "   ^C stop", row: row, in: columns, CellStyle(.heading))
    case nil:
      draw(hints(state), row, in: columns, on: &grid)
    }
  }

  /// As many as there is room for; the last ones are always there.
  private static func draw(
    _ hints: (first: [Hint], last: [Hint]), _ row: Int, in columns: Range<Int>, on grid: inout Grid
  ) {
    var room = columns.count - hints.last.reduce(0) { $0 + $1.width + 2 }
    var shown: [Hint] = []
    for hint in hints.first {
      room -= hint.width + 2
      if room < 0 { break }
      shown.append(hint)
    }
    var column = columns.lowerBound
    for hint in shown + hints.last {
      column = grid.write(hint.key, row: row, in: column..<columns.upperBound, CellStyle(.heading))
      column = grid.write(" " + hint.meaning + "  ", row: row, in: column..<columns.upperBound, CellStyle(.faint))
    }
  }

  private static func hints(_ state: BrowserState) -> (first: [Hint], last: [Hint]) {
    switch state.dialog {
    case .plan: return ([Hint("j/k", "scroll")], [Hint("y", "do it"), Hint("n", "leave it")])
    case .help: return ([Hint("j/k", "scroll")], [Hint("q", "back")])
    case nil: break
    }
    if state.focus == .timeline {
      return (
        [
          Hint("Enter", "open"), Hint("d", "diff"), Hint("s", "stat"), Hint("t", "tree"), Hint("Space", "restore"),
          Hint("u", "undo"), Hint("U", "redo"), Hint("/", "search"), Hint("j/k", "move"),
        ], [Hint("?", "help"), Hint("q", "quit")]
      )
    }
    var hints = [Hint("Space", restoreHint(state))]
    switch state.detail.content {
    case .tree, .stat: hints.insert(Hint("Enter", "open"), at: 0)
    case .diff, .file: break
    }
    return (
      hints + [Hint("Tab", "timeline"), Hint("u", "undo"), Hint("/", "search"), Hint("< >", "scroll")],
      [Hint("?", "help"), Hint("q", "back")]
    )
  }

  private static func restoreHint(_ state: BrowserState) -> String {
    guard let line = state.detail.selectedLine, line.path != nil else { return "restore all" }
    return line.isFolder ? "restore folder" : "restore file"
  }

  private static func tail(_ text: String, _ width: Int) -> String {
    var rest = text[...]
    while DisplayWidth.of(String(rest)) > max(0, width), !rest.isEmpty { rest.removeFirst() }
    return String(rest)
  }
}
