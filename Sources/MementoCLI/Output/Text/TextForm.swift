// How the text of a command looks: colour, length of ids, time zone, terminal.

import MementoKit

struct TextForm: Sendable {
  var style = Style.plain
  /// Whether ids are printed with 64 digits, not 12.
  var showsFullIDs = false
  var zoneOffset: @Sendable (Int64) -> Int = { _ in 0 }
  /// Whether the output goes to a terminal, perhaps through a pager. Then control characters must be escaped.
  var isTerminal = false
  /// The width of the terminal in columns; nil when there is none.
  var width: Int?

  func id(_ id: SnapshotID) -> String {
    showsFullIDs ? id.description : id.short
  }

  func paintedID(_ snapshot: SnapshotID) -> String {
    style.id(id(snapshot))
  }

  func name(_ name: String?) -> String {
    name.map { style.name(TerminalText.escaped($0)) } ?? "(unnamed)"
  }

  /// A snapshot for people, for example `one, two 2ae4d1f5219b`. Without names it is `2ae4d1f5219b (saved as one)`: the
  /// name of its save belongs to another snapshot or was deleted.
  func place(_ snapshot: Snapshot, names: [String]) -> String {
    if !names.isEmpty { return names.map { name($0) }.joined(separator: ", ") + " " + paintedID(snapshot.id) }
    guard let former = snapshot.name else { return "(unnamed) " + paintedID(snapshot.id) }
    return paintedID(snapshot.id) + " (saved as \(name(former)))"
  }

  /// The column that marks the snapshot where the folder is.
  func mark(_ isCurrent: Bool) -> Table.Cell {
    isCurrent ? Table.Cell(text: "*", paint: style.current) : Table.Cell(text: " ")
  }

  /// The local date, for example `2026-06-01`.
  func day(_ time: SnapshotTime) -> String {
    String(self.time(time).prefix { $0 != " " })
  }

  func time(_ time: SnapshotTime) -> String {
    LocalTime.text(time, offset: zoneOffset(time.seconds))
  }
}
