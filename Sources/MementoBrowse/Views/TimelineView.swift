// The history, a line for each entry: where the folder is, how old the entry is, its names or what was done, what changed.

import MementoKit
import MementoText

enum TimelineView {
  /// No line shows more characters.
  private static let widest = 1000

  private struct Piece {
    var text: String
    var ink: Ink
  }

  static func title(_ state: BrowserState) -> (left: String, right: String) {
    if state.history == nil { return ("timeline", "reading") }
    let more = state.isHistoryComplete ? "" : "+"
    return ("timeline", state.rows.isEmpty ? "" : "\(state.timeline.selected + 1)/\(state.rows.count)\(more)")
  }

  static func draw(
    _ state: BrowserState, _ form: ViewForm, in columns: Range<Int>, _ rows: Range<Int>, on grid: inout Grid
  ) {
    if state.rows.isEmpty, state.history != nil, state.isHistoryComplete, !rows.isEmpty {
      grid.write("nothing saved yet", row: rows.lowerBound, in: columns, CellStyle(.faint))
    }
    let current = state.rows.firstIndex { if case .entry(let entry) = $0 { entry.isCurrent } else { false } }
    for (row, index) in zip(rows, state.timeline.top..<max(state.timeline.top, state.rows.count)) {
      draw(state.rows[index], isUndone: index < current ?? 0, form, in: columns, row, on: &grid)
      if index == state.timeline.selected { mark(row, in: columns, hasFocus: state.focus == .timeline, on: &grid) }
    }
  }

  /// Shows that a line is selected: reversed where the keys go, bold elsewhere.
  static func mark(_ row: Int, in columns: Range<Int>, hasFocus: Bool, on grid: inout Grid) {
    grid.paint(row: row, in: columns) { style in
      hasFocus ? CellStyle(style.ink, isReversed: true) : CellStyle(style.ink == .plain ? .heading : style.ink)
    }
  }

  private static func draw(
    _ row: TimelineRow, isUndone: Bool, _ form: ViewForm, in columns: Range<Int>, _ line: Int, on grid: inout Grid
  ) {
    switch row {
    case .unsaved(let changes):
      write(
        [Piece(text: "        unsaved changes", ink: .current)],
        counts: "+\(changes.added) ~\(changes.modified) -\(changes.removed)", in: columns, line, on: &grid)
    case .entry(let entry):
      let age = form.age(of: entry.time)
      let padding = String(repeating: " ", count: max(0, 5 - age.count))
      var pieces = [
        Piece(text: entry.isCurrent ? "* " : "  ", ink: .current), Piece(text: padding + age + " ", ink: .faint),
      ]
      if columns.count >= 48 { pieces.append(Piece(text: entry.snapshot.id.short + " ", ink: .id)) }
      pieces += label(entry, isUndone: isUndone)
      write(pieces, counts: counts(entry), in: columns, line, on: &grid)
    }
  }

  /// What was done, and what it is called.
  private static func label(_ entry: LogEntry, isUndone: Bool) -> [Piece] {
    let names = shortened(entry.names)
    let message = TerminalText.firstLine(String((entry.snapshot.message ?? "").prefix(TimelineView.widest)))
    var pieces: [Piece] = []
    if isUndone { pieces.append(Piece(text: "undone: ", ink: .faint)) }
    switch entry.operation {
    case .restore: pieces.append(Piece(text: "restored ", ink: .plain))
    case .guarded: pieces.append(Piece(text: "unsaved, kept", ink: .faint))
    default:
      if names.isEmpty, message.isEmpty { pieces.append(Piece(text: "saved", ink: .plain)) }
    }
    if !names.isEmpty { pieces.append(Piece(text: names, ink: .name)) }
    if names.isEmpty, entry.operation == .restore {
      pieces.append(Piece(text: entry.snapshot.name.map(TerminalText.escaped) ?? entry.snapshot.id.short, ink: .id))
    }
    if !message.isEmpty, entry.operation == .save {
      pieces.append(Piece(text: (names.isEmpty ? "" : "  ") + message, ink: names.isEmpty ? .plain : .faint))
    }
    return pieces
  }

  /// As many names as a line can show.
  private static func shortened(_ names: [String]) -> String {
    let shown = names.prefix(20).map(TerminalText.escaped).joined(separator: ", ")
    return shown + (names.count > 20 ? ", …" : "")
  }

  private static func counts(_ entry: LogEntry) -> String {
    let counts = entry.counts.map { "+\($0.added) ~\($0.modified) -\($0.removed)" } ?? "+? ~? -?"
    return counts + (entry.snapshot.isComplete ? "" : " incomplete")
  }

  /// The counts are at the right, if the rest leaves room for them.
  private static func write(
    _ pieces: [Piece], counts: String, in columns: Range<Int>, _ row: Int, on grid: inout Grid
  ) {
    var column = columns.lowerBound
    var width = 0
    for piece in pieces {
      column = grid.write(piece.text, row: row, in: column..<columns.upperBound, CellStyle(piece.ink))
      width += DisplayWidth.of(piece.text)
    }
    if width > columns.count {
      grid.write("…", row: row, in: (columns.upperBound - 1)..<columns.upperBound, CellStyle(.faint))
    }
    let start = columns.upperBound - counts.count
    if start > column { grid.write(counts, row: row, in: start..<columns.upperBound, CellStyle(.faint)) }
  }
}
