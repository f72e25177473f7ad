// What must be sent to a terminal that shows one grid so that it shows another one.

package enum ScreenUpdate {
  /// The bytes that turn `old` into `new`; nil for a terminal that shows something unknown.
  package static func bytes(from old: Grid?, to new: Grid, isColored: Bool) -> [UInt8] {
    var writer = CellWriter(isColored: isColored)
    var known = old
    if let old, old.size != new.size { known = nil }
    if known == nil { writer.clear() }
    for row in 0..<new.size.rows {
      for column in 0..<new.size.columns {
        let cell = new[row, column]
        let before = known.map { $0[row, column] } ?? .blank
        // The left half of a wide character shows both.
        if cell == before || cell.text.isEmpty { continue }
        writer.write(cell, row, column)
      }
    }
    return writer.finish()
  }
}

/// Moves only where the next cell is not where the terminal is.
private struct CellWriter {
  private var text = ""
  private var style: CellStyle?
  /// Where the terminal writes next; nil when that is not certain.
  private var place: (row: Int, column: Int)?
  private let isColored: Bool

  init(isColored: Bool) {
    self.isColored = isColored
  }

  mutating func clear() {
    text += CellStyle.plain.sequence(isColored: isColored) + "\u{1B}[2J"
    style = .plain
  }

  mutating func write(_ cell: Cell, _ row: Int, _ column: Int) {
    if place?.row != row || place?.column != column { text += "\u{1B}[\(row + 1);\(column + 1)H" }
    if style != cell.style {
      text += cell.style.sequence(isColored: isColored)
      style = cell.style
    }
    text += cell.text
    // Terminals disagree about the width of many characters. Behind them the place is named again, so that only the
    // character itself can be wrong.
    let isCertain = cell.text.utf8.count == 1
    place = isCertain ? (row, column + 1) : nil
  }

  mutating func finish() -> [UInt8] {
    if let style, style != .plain { text += CellStyle.plain.sequence(isColored: isColored) }
    return Array(text.utf8)
  }
}
