// The listing of states.

import MementoKit

struct StateTable {
  let form: TextForm

  /// Mark, name, id, time, files, size, message.
  func lines(_ states: [ListedState]) -> [String] {
    var table = Table([.left, .left, .left, .left, .right, .right, .left])
    for state in states {
      let snapshot = state.snapshot
      let paintName = state.isCurrent ? form.style.current : form.style.name
      table.add([
        form.mark(state.isCurrent),
        Table.Cell(text: TerminalText.escaped(state.name), paint: paintName),
        Table.Cell(text: form.id(snapshot.id), paint: form.style.id),
        Table.Cell(text: form.time(snapshot.time)),
        Table.Cell(text: snapshot.kind == .value ? "value" : Quantity.count(snapshot.files, "file")),
        Table.Cell(text: Quantity.bytes(snapshot.bytes)),
        Table.Cell(text: remark(snapshot)),
      ])
    }
    return table.lines()
  }

  /// The same fields for programs: the whole id, RFC 3339, bytes, the whole message.
  func records(_ states: [ListedState]) -> [[String]] {
    states.map { state in
      let snapshot = state.snapshot
      return [
        state.isCurrent ? "*" : " ", state.name, snapshot.id.description, snapshot.time.rfc3339,
        String(snapshot.files), String(snapshot.bytes), snapshot.message ?? "",
      ]
    }
  }

  private func remark(_ snapshot: Snapshot) -> String {
    let message = TerminalText.firstLine(snapshot.message ?? "")
    if snapshot.isComplete { return message }
    return message.isEmpty ? "(incomplete)" : "(incomplete) " + message
  }
}
