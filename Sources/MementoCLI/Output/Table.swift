// A table with aligned columns.

import MementoSystem

struct Table: Sendable {
  enum Alignment: Sendable {
    case left
    case right
  }

  struct Cell: Sendable {
    let text: String
    /// The columns that the text takes on a terminal.
    let width: Int
    /// Colours the text, but not the padding.
    let paint: @Sendable (String) -> String

    init(text: String, paint: @escaping @Sendable (String) -> String = { $0 }) {
      self.text = text
      self.paint = paint
      width = DisplayWidth.of(text)
    }
  }

  let columns: [Alignment]
  private(set) var rows: [[Cell]] = []

  /// What stands where a cell is cut.
  private let ellipsis: String

  init(_ columns: [Alignment], ellipsis: String = "…") {
    self.columns = columns
    self.ellipsis = ellipsis
  }

  mutating func add(_ row: [Cell]) {
    rows.append(row)
  }

  /// The same with cells cut where a line would be wider than `limit`: first those of the last column, and then those of
  /// `other`, but neither to fewer than a few characters. If that is not enough, cuts all others from the last one, but
  /// for the first `kept` ones. Nil limits nothing.
  func lines(within limit: Int?, cutting other: Int, keeping kept: Int? = nil) -> [String] {
    guard let limit else { return lines() }
    var order = [(columns.count - 1, 8), (other, 16)]
    if let kept { order += columns.indices.dropFirst(kept).reversed().map { ($0, 1) } }
    return lines(within: limit, cutting: order)
  }

  /// The same with the cells of columns cut in this order, each to no fewer characters than are given with it.
  func lines(within limit: Int, cutting order: [(column: Int, least: Int)]) -> [String] {
    var widths = widths
    var excess = width - limit
    for (column, least) in order {
      let cut = min(max(0, excess), max(0, widths[column] - least))
      widths[column] -= cut
      excess -= cut
    }
    var table = Table(columns)
    for row in rows {
      table.add(zip(row, widths).map { Cell(text: DisplayWidth.cut($0.text, to: $1, ellipsis), paint: $0.paint) })
    }
    return table.lines()
  }

  /// The columns that the longest line takes.
  var width: Int {
    let widths = widths
    return widths.reduce(2 * (widths.lastIndex { $0 > 0 } ?? 0), +)
  }

  /// The width of each column.
  private var widths: [Int] {
    columns.indices.map { column in rows.reduce(0) { max($0, $1[column].width) } }
  }

  /// One line for each row, with two spaces between columns and none at the end.
  func lines() -> [String] {
    let widths = widths
    return ParallelRows.map(rows.count, rowsOf: Table.row) { numbers in
      numbers.map { line(rows[$0], widths) }
    }
  }

  /// So many rows are worth a thread of their own.
  private static let row = 2000

  private func line(_ row: [Cell], _ widths: [Int]) -> String {
    let last = row.lastIndex { !$0.text.isEmpty } ?? -1
    var line = ""
    for column in row.indices.prefix(last + 1) {
      let cell = row[column]
      let padding = String(repeating: " ", count: widths[column] - cell.width)
      if column > 0 { line += "  " }
      if columns[column] == .right { line += padding }
      line += cell.paint(cell.text)
      if columns[column] == .left, column != last { line += padding }
    }
    return line
  }
}
