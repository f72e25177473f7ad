// A screen as a table of cells. Whatever is drawn outside of it is cut off, and nothing that a terminal would obey gets
// into a cell.

import MementoText

/// One column of one row.
package struct Cell: Equatable, Sendable {
  /// One character with its combining marks. Empty for the right half of a wide character.
  package var text: String
  package var style: CellStyle

  package static let blank = Cell(text: " ", style: .plain)
}

package struct Grid: Equatable, Sendable {
  /// More marks on one character are dropped.
  private static let longestCharacter = 8

  package let size: ScreenSize
  /// Row by row.
  package private(set) var cells: [Cell]

  package init(_ size: ScreenSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  package subscript(row: Int, column: Int) -> Cell {
    cells[row * size.columns + column]
  }

  /// The text of a row.
  package func text(row: Int) -> String {
    cells[(row * size.columns)..<((row + 1) * size.columns)].map(\.text).joined()
  }

  /// Writes a text from left to right, in the columns of `area`. Returns the column behind the text.
  @discardableResult
  package mutating func write(
    _ text: String, row: Int, in area: Range<Int>, _ style: CellStyle = .plain
  ) -> Int {
    let columns = area.clamped(to: 0..<size.columns)
    guard (0..<size.rows).contains(row) else { return columns.lowerBound }
    var column = columns.lowerBound
    for character in text {
      let shown = Grid.safe(character)
      let width = DisplayWidth.of(shown)
      if width == 0 {
        // A mark without a letter belongs to what stands before it; at the beginning, to a space.
        if column == columns.lowerBound { continue }
        add(shown, to: row, column - 1)
        continue
      }
      if column + width > columns.upperBound { return column }
      set(String(shown), style, row, column, width)
      column += width
    }
    return column
  }

  /// Gives a part of a row a style, and leaves its text.
  package mutating func paint(row: Int, in area: Range<Int>, _ style: (CellStyle) -> CellStyle) {
    guard (0..<size.rows).contains(row) else { return }
    for column in area.clamped(to: 0..<size.columns) {
      let place = row * size.columns + column
      cells[place].style = style(cells[place].style)
    }
  }

  /// A character that a terminal shows. The caller has escaped what it writes; this is for what it has forgotten.
  private static func safe(_ character: Character) -> Character {
    if character.unicodeScalars.contains(where: TerminalText.mustBeEscaped) { return "?" }
    if character.unicodeScalars.count <= longestCharacter { return character }
    var short = ""
    short.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(longestCharacter))
    return short.first ?? "?"
  }

  private mutating func set(_ text: String, _ style: CellStyle, _ row: Int, _ column: Int, _ width: Int) {
    let place = row * size.columns + column
    // What is left of a wide character that is overwritten in part becomes a space.
    if cells[place].text.isEmpty, column > 0 { cells[place - 1].text = " " }
    let end = column + width
    if end < size.columns, cells[place + width].text.isEmpty { cells[place + width].text = " " }
    cells[place] = Cell(text: text, style: style)
    if width == 2 { cells[place + 1] = Cell(text: "", style: style) }
  }

  private mutating func add(_ mark: Character, to row: Int, _ column: Int) {
    var place = row * size.columns + column
    if cells[place].text.isEmpty, column > 0 { place -= 1 }
    if cells[place].text.unicodeScalars.count < Grid.longestCharacter { cells[place].text.append(mark) }
  }
}
