// The keys and what they do.

enum HelpView {
  static func draw(from top: Int, in columns: Range<Int>, _ rows: Range<Int>, on grid: inout Grid) {
    for (row, line) in zip(rows, top..<max(top, HelpText.lines.count)) {
      let (keys, meaning) = HelpText.lines[line]
      grid.write(" " + keys, row: row, in: columns, CellStyle(.name))
      let start = columns.lowerBound + min(20, columns.count)
      grid.write(
        meaning, row: row, in: (keys.isEmpty ? columns.lowerBound + 1 : start)..<max(start, columns.upperBound))
    }
  }
}
