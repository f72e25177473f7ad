// The lines of `memento list REMOTE/`.

import MementoKit

struct RemoteStateTable {
  let form: TextForm

  /// The columns name, id, time, machine, and whether the content is here, too.
  func lines(_ states: [RemoteState]) -> [String] {
    var table = Table([.left, .left, .left, .left, .left])
    for state in states {
      table.add([
        Table.Cell(text: TerminalText.escaped(state.name), paint: form.style.name),
        Table.Cell(text: form.id(state.snapshot), paint: form.style.id),
        Table.Cell(text: form.when(state.time)),
        Table.Cell(text: TerminalText.escaped(state.host)),
        Table.Cell(text: state.isLocal ? "(also here)" : "", paint: form.style.faint),
      ])
    }
    return table.lines()
  }

  /// The fields of `memento list -z`, of which a remote does not tell files, bytes and message, and then the machine.
  func records(_ states: [RemoteState]) -> [[String]] {
    states.map { [" ", $0.name, $0.snapshot.description, $0.time.rfc3339, "", "", "", $0.host] }
  }
}
