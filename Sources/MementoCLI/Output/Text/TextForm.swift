// How the text of a command looks: colour, length of ids, time zone, terminal.

import MementoKit

struct TextForm: Sendable {
  var style = Style.plain
  /// Whether ids are printed with 64 digits, not 12.
  var showsFullIDs = false
  var zoneOffset: @Sendable (Int64) -> Int = { _ in 0 }
  /// Whether the output goes to a terminal, perhaps through a pager. Then control characters must be escaped.
  var isTerminal = false
  /// Whatever is older, in seconds, is shown with its date: 30 days.
  private static let longestAge: UInt64 = 30 * 86_400

  /// The width of the terminal in columns; nil when there is none.
  var width: Int?
  /// Whether the locale has more signs than those of ASCII.
  var isUnicode = true
  /// What time it is, where ages are shown instead of times; nil where they are not.
  var now: SnapshotTime?
  /// The folder in which the command works, relative to that of the store; empty at its top.
  var place = BytePath("")

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

  /// When something was. For somebody at a terminal that is an age, such as `5min ago`, for 30 days, and then the date; else
  /// it is the time.
  func when(_ time: SnapshotTime) -> String {
    guard let now, let age = Age.seconds(of: time, at: now) else { return self.time(time) }
    return age < TextForm.longestAge ? Quantity.age(age) + " ago" : day(time)
  }

  /// What stands where something is left out.
  var ellipsis: String { isUnicode ? "…" : "..." }

  /// The first line of a message.
  func firstLine(_ message: String) -> String { TerminalText.firstLine(message, ellipsis) }

  /// A path of the folder as one would type it here, with control characters escaped.
  func path(_ path: BytePath) -> String {
    TerminalText.escaped(RelativePath.of(path, from: place))
  }

  /// The letter of a kind of change.
  func letter(_ kind: ChangeKind) -> Table.Cell {
    let paint: @Sendable (String) -> String =
      switch kind {
      case .added: style.added
      case .removed: style.removed
      default: style.changed
      }
    return Table.Cell(text: ChangeLetter.of(kind), paint: paint)
  }

  /// A changed path of the folder, with its letter.
  func change(_ kind: ChangeKind, _ path: BytePath) -> String {
    let letter = letter(kind)
    return "\(letter.paint(letter.text)) \(self.path(path))"
  }
}
