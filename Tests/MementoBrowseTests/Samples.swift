// States of the browser as they come about, without a store.

import MementoModel

@testable import MementoBrowse
@testable import MementoKit

enum Samples {
  static let now = SnapshotTime(seconds: 1_780_000_000, nanoseconds: 0)
  static let form = ViewForm(now: now)

  static func id(_ number: Int) -> SnapshotID {
    let digits = String(number, radix: 16)
    let text = String(repeating: digits + String(repeating: "0", count: 16 - digits.count), count: 4)
    return SnapshotID(hex: text) ?? SnapshotID(ObjectID.zero)
  }

  static func entry(
    _ number: Int, _ operation: HistoryOperation = .save, names: [String] = [], message: String? = nil,
    age: Int64 = 60, isCurrent: Bool = false
  ) -> LogEntry {
    let time = SnapshotTime(seconds: now.seconds - age, nanoseconds: 0)
    let counts = ChangeCounts(added: number, modified: 2, removed: 0)
    let snapshot = Snapshot(
      id: id(number), parent: nil, kind: .tree, name: names.first, message: message, time: time, user: "ann",
      host: "box", files: 341, bytes: 12_600_000, changes: counts, isComplete: true)
    return LogEntry(
      operation: operation, time: time, isCurrent: isCurrent, names: names, snapshot: snapshot, counts: counts)
  }

  static let history = [
    entry(9, .save, message: "a try", age: 20),
    entry(8, .restore, names: ["before-upgrade"], age: 120, isCurrent: true),
    entry(7, .guarded, age: 130), entry(6, names: ["after-upgrade"], age: 3600 * 5),
    entry(5, names: ["before-upgrade"], message: "all green\nand more", age: 86400 * 9),
    entry(4, names: ["na\u{1B}[31mme", "日本語の名前がとても長い"], age: 86400 * 40), entry(3, age: 86400 * 400),
  ]

  static let diff = [
    DetailLine("snapshot 800000000000  before-upgrade", .id), DetailLine(""),
    DetailLine("M src/main.c", .heading, path: "src/main.c"), DetailLine("@@ -1,3 +1,3 @@", .hunk, path: "src/main.c"),
    DetailLine(" int main(void) {", path: "src/main.c"), DetailLine("-  return 1;", .removed, path: "src/main.c"),
    DetailLine("+  return 0; // 日本語", .added, path: "src/main.c"), DetailLine(" }", path: "src/main.c"),
    DetailLine(""), DetailLine("D notes.txt", .heading, path: "notes.txt"),
  ]

  static let tree = [
    DetailLine("            src/", .folder, path: "src", isFolder: true),
    DetailLine("       6 B  README.md", path: "README.md"),
  ]

  static var plan: ChangePlan {
    ChangePlan(
      .restore(id(5), label: "before-upgrade", paths: []),
      summary: [
        "would restore before-upgrade 500000000000: 1 created, 2 replaced, 1 removed; 1.2 MiB would be written"
      ],
      steps: [
        PlannedChange(action: .create, path: "a/new", bytes: 5),
        PlannedChange(action: .replace, path: "src/main.c", bytes: 9),
        PlannedChange(action: .metadata, path: "run.sh", bytes: 0),
        PlannedChange(action: .remove, path: "gone\u{7}", bytes: 0),
      ])
  }

  /// A browser that has read everything: the history, two unsaved changes, and what belongs to the selection.
  static func state(_ columns: Int = 80, _ rows: Int = 24, unsaved: Bool = true) -> BrowserState {
    var state = BrowserState(size: ScreenSize(columns: columns, rows: rows))
    _ = state.handle(.history(history, isAll: true))
    if unsaved {
      var changes = UnsavedChanges(position: id(8))
      changes.added = 1
      changes.modified = 2
      _ = state.handle(.unsaved(changes, isPending: false))
    }
    answer(&state)
    return state
  }

  /// Gives the newest request its lines.
  static func answer(_ state: inout BrowserState, _ lines: [DetailLine] = diff) {
    guard let token = state.loadToken else { return }
    _ = state.handle(.detail(lines, token: token))
    _ = state.handle(.detailEnd(token: token))
  }
}

extension BrowserState {
  /// The token of the newest request; nil when nothing was asked for.
  var loadToken: Int? { detail.subject == nil ? nil : detail.token }

  /// Types keys, and returns what the browser asks for.
  @discardableResult
  mutating func type(_ keys: Key...) -> [BrowserEffect] {
    keys.flatMap { handle(.key($0)) }
  }

  /// Types characters.
  @discardableResult
  mutating func type(_ text: String) -> [BrowserEffect] {
    text.flatMap { handle(.key(.character($0))) }
  }
}
