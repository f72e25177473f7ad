// The first line: which folder this is, and how it is.

import MementoKit
import MementoText

enum TitleView {
  static func draw(
    _ state: BrowserState, _ title: String, _ row: Int, in columns: Range<Int>, on grid: inout Grid
  ) {
    let facts = facts(state)
    let place = place(state).map { "at \($0)" + (facts.text.isEmpty ? "" : ", ") } ?? ""
    // Where the folder is stands below, too. So it gives way to the rest.
    let whole = DisplayWidth.of(place) + DisplayWidth.of(facts.text)
    let hasPlace = DisplayWidth.of(title) + 2 + whole <= columns.count
    let right = hasPlace ? whole : DisplayWidth.of(facts.text)
    let room = max(0, columns.count - right - 1)
    grid.write(DisplayWidth.cut(title, to: room), row: row, in: columns, CellStyle(.folder))
    var column = min(columns.lowerBound + room + 1, columns.upperBound)
    if hasPlace { column = grid.write(place, row: row, in: column..<columns.upperBound, CellStyle(.plain)) }
    grid.write(facts.text, row: row, in: column..<columns.upperBound, CellStyle(facts.ink))
  }

  /// The name of the snapshot where the folder is, or its id.
  private static func place(_ state: BrowserState) -> String? {
    let current = state.history?.first(where: \.isCurrent)
    return current.map { $0.names.first.map(TerminalText.escaped) ?? $0.snapshot.id.short }
  }

  private static func facts(_ state: BrowserState) -> (text: String, ink: Ink) {
    if state.isRestorePending { return ("a restore was interrupted", .alarm) }
    guard state.history != nil else { return ("reading the history", .faint) }
    let unsaved = state.unsaved
    if !unsaved.isEmpty { return ("unsaved: +\(unsaved.added) ~\(unsaved.modified) -\(unsaved.removed)", .name) }
    return ("", .plain)
  }
}
