// The lines of `memento list`.

import MementoKit
import MementoSystem

struct StateTable {
  let form: TextForm

  /// The columns mark, name, id, time, files, size and message.
  func lines(_ states: [ListedState]) -> [String] {
    var table = Table([.left, .left, .left, .left, .right, .right, .left], ellipsis: form.ellipsis)
    // Of many states, on all cores: to measure the texts takes as long as to read the records.
    for row in ParallelRows.map(states.count, rowsOf: StateTable.row, { row in row.map { self.row(states[$0]) } }) {
      table.add(row)
    }
    return table.lines(within: form.width, cutting: 1)
  }

  private static let row = 1000

  private func row(_ state: ListedState) -> [Table.Cell] {
    let snapshot = state.snapshot
    let paintName = state.isCurrent ? form.style.current : form.style.name
    let start = [
      form.mark(state.isCurrent),
      Table.Cell(text: TerminalText.escaped(state.name), paint: paintName),
      Table.Cell(text: form.id(snapshot.id), paint: form.style.id),
    ]
    if let problem = state.problem {
      return start + ["-", "-", "-"].map { Table.Cell(text: $0) }
        + [Table.Cell(text: TerminalText.escaped(problem), paint: form.style.alarm)]
    }
    return start + [
      Table.Cell(text: form.when(snapshot.time)),
      Table.Cell(text: snapshot.kind == .value ? "value" : Quantity.count(snapshot.files, "file")),
      Table.Cell(text: Quantity.bytes(snapshot.bytes)),
      Table.Cell(text: remark(snapshot)),
    ]
  }

  /// The same fields for programs: the whole id, the time in RFC 3339, the size in bytes, the whole message. If a
  /// snapshot cannot be read, time, files and bytes are empty, and the message is the reason.
  func records(_ states: [ListedState]) -> [[String]] {
    states.map { state in
      let snapshot = state.snapshot
      let start = [state.isCurrent ? "*" : " ", state.name, snapshot.id.description]
      if let problem = state.problem { return start + ["", "", "", problem] }
      return start + [
        snapshot.time.rfc3339, String(snapshot.files), String(snapshot.bytes), snapshot.message ?? "",
      ]
    }
  }

  private func remark(_ snapshot: Snapshot) -> String {
    let message = form.firstLine(snapshot.message ?? "")
    if snapshot.isComplete { return message }
    return message.isEmpty ? "(incomplete)" : "(incomplete) " + message
  }
}
