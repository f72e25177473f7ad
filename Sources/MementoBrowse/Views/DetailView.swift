// What belongs to the selected entry: its differences, its files, or a file of it.

import MementoText

enum DetailView {
  static func title(_ state: BrowserState) -> (left: String, right: String) {
    let detail = state.detail
    let left =
      switch detail.content {
      case .diff(nil): "diff"
      case .diff(let path?): "diff " + TerminalText.escaped(path)
      case .stat: "stat"
      case .tree(let path): "tree /" + TerminalText.escaped(path)
      case .file(let path): "file " + TerminalText.escaped(path)
      }
    let place = detail.lines.isEmpty ? "" : "\(detail.position.selected + 1)/\(detail.lines.count)"
    return (left, place + (detail.isComplete ? "" : place.isEmpty ? "reading" : "+"))
  }

  static func draw(_ state: BrowserState, in columns: Range<Int>, _ rows: Range<Int>, on grid: inout Grid) {
    let detail = state.detail
    let lines = detail.lines
    var row = rows.lowerBound
    for index in detail.position.top..<max(detail.position.top, lines.count) where row < rows.upperBound {
      let line = lines[index]
      grid.write(shifted(line.text, by: detail.column), row: row, in: columns, CellStyle(line.ink))
      if index == detail.position.selected, state.focus == .detail {
        TimelineView.mark(row, in: columns, hasFocus: true, on: &grid)
      }
      row += 1
    }
    for line in detail.failure?.lines ?? [] {
      for piece in Paragraph.lines(line, width: columns.count, limit: 4) where row < rows.upperBound {
        grid.write(piece, row: row, in: columns, CellStyle(.alarm))
        row += 1
      }
    }
  }

  /// What is left of a text when the first columns are scrolled away.
  private static func shifted(_ text: String, by columns: Int) -> String {
    var rest = text[...]
    var left = columns
    while left > 0, let first = rest.first {
      left -= DisplayWidth.of(first)
      rest.removeFirst()
    }
    return String(rest)
  }
}
