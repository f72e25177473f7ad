// The history as text: a line an entry, its message indented below.

import MementoKit

struct LogText {
  let form: TextForm

  func lines(_ entries: [LogEntry]) -> [String] {
    var table = Table([.left, .left, .left, .left, .left, .left, .left])
    for entry in entries {
      let snapshot = entry.snapshot
      table.add([
        form.mark(entry.isCurrent),
        Table.Cell(text: form.id(snapshot.id), paint: form.style.id),
        Table.Cell(text: TerminalText.escaped(entry.operation), paint: form.style.faint),
        Table.Cell(text: form.time(entry.time)),
        Table.Cell(text: TerminalText.escaped("\(snapshot.user)@\(snapshot.host)")),
        Table.Cell(text: changes(snapshot)),
        Table.Cell(text: entry.names.map(TerminalText.escaped).joined(separator: ", "), paint: form.style.name),
      ])
    }
    return zip(table.lines(), entries).flatMap { line, entry in [line] + message(entry.snapshot) }
  }

  /// Mark, operation, id, names with `:` between (no name holds one), time, user, host, changes, message.
  func records(_ entries: [LogEntry]) -> [[String]] {
    entries.map { entry in
      let snapshot = entry.snapshot
      let changes = snapshot.changes
      return [
        entry.isCurrent ? "*" : " ", entry.operation, snapshot.id.description, entry.names.joined(separator: ":"),
        entry.time.rfc3339, snapshot.user, snapshot.host, String(changes.added), String(changes.modified),
        String(changes.removed), snapshot.message ?? "",
      ]
    }
  }

  private func changes(_ snapshot: Snapshot) -> String {
    if snapshot.kind == .value { return "value" }
    let changes = snapshot.changes
    return "+\(changes.added) ~\(changes.modified) -\(changes.removed)" + (snapshot.isComplete ? "" : " (incomplete)")
  }

  func message(_ snapshot: Snapshot) -> [String] {
    let lines = (snapshot.message ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let end = lines.lastIndex { !$0.isEmpty } ?? -1
    return lines.prefix(end + 1).map { $0.isEmpty ? "" : "    " + TerminalText.escaped(String($0)) }
  }
}
