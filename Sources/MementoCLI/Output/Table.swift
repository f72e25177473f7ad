// A table with aligned columns.

struct Table {
  enum Alignment {
    case left
    case right
  }

  struct Cell {
    let text: String
    /// Colours the text, but not the padding.
    var paint: (String) -> String = { $0 }
  }

  let columns: [Alignment]
  private(set) var rows: [[Cell]] = []

  init(_ columns: [Alignment]) {
    self.columns = columns
  }

  mutating func add(_ row: [Cell]) {
    rows.append(row)
  }

  /// The same with the last column cut where a line would be wider than `limit`.
  func lines(within limit: Int?) -> [String] {
    guard let limit, columns.count > 1 else { return lines() }
    var table = Table(columns)
    let others = columns.indices.dropLast().map { column in
      rows.map { DisplayWidth.of($0[column].text) }.max() ?? 0
    }
    let room = limit - others.reduce(0, +) - 2 * others.count
    for row in rows {
      var row = row
      if let last = row.popLast() {
        row.append(Cell(text: DisplayWidth.cut(last.text, to: max(room, 8)), paint: last.paint))
      }
      table.add(row)
    }
    return table.lines()
  }

  /// One line for each row, with two spaces between columns and none at the end.
  func lines() -> [String] {
    let widths = columns.indices.map { column in
      rows.map { DisplayWidth.of($0[column].text) }.max() ?? 0
    }
    return rows.map { row in
      let last = row.lastIndex { !$0.text.isEmpty } ?? -1
      return row.indices.prefix(last + 1).map { column in
        let cell = row[column]
        let padding = String(repeating: " ", count: widths[column] - DisplayWidth.of(cell.text))
        if columns[column] == .right { return padding + cell.paint(cell.text) }
        return cell.paint(cell.text) + (column == last ? "" : padding)
      }.joined(separator: "  ")
    }
  }
}
