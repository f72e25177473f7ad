// How one command's text looks: colour, the length of ids, the time zone.

import MementoKit

struct TextForm: Sendable {
  var style = Style.plain
  /// 64 digits instead of 12.
  var showsFullIDs = false
  var zoneOffset: @Sendable (Int64) -> Int = { _ in 0 }
  /// It goes to a terminal, maybe through a pager: nothing may get there that a terminal would obey.
  var isTerminal = false
  /// Columns of the terminal; nil when there is none.
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

  /// Where the folder is: `one, two 2ae4d1f5219b`, or `2ae4d1f5219b (saved as one)` when that name means something else now.
  func place(_ snapshot: Snapshot, names: [String]) -> String {
    if !names.isEmpty { return names.map { name($0) }.joined(separator: ", ") + " " + paintedID(snapshot.id) }
    guard let former = snapshot.name else { return "(unnamed) " + paintedID(snapshot.id) }
    return paintedID(snapshot.id) + " (saved as \(name(former)))"
  }

  /// The column that says where the folder is.
  func mark(_ isCurrent: Bool) -> Table.Cell {
    isCurrent ? Table.Cell(text: "*", paint: style.current) : Table.Cell(text: " ")
  }

  /// `2026-06-01`
  func day(_ time: SnapshotTime) -> String {
    String(self.time(time).prefix { $0 != " " })
  }

  func time(_ time: SnapshotTime) -> String {
    LocalTime.text(time, offset: zoneOffset(time.seconds))
  }
}
