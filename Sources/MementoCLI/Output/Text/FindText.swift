// The runs of states in which paths were the same.

import MementoKit

struct FindText {
  let form: TextForm

  /// The path, and below it a line for each run.
  func lines(_ found: FoundPath) -> [String] {
    var table = Table([.left, .left, .left, .left, .left, .left, .left, .right, .left])
    for run in found.runs {
      let isOne = run.states == 1
      table.add(
        cells(run.newest) + [Table.Cell(text: isOne ? "" : "to")]
          + (isOne ? [Table.Cell(text: ""), Table.Cell(text: ""), Table.Cell(text: "")] : cells(run.oldest))
          + [
            Table.Cell(text: Quantity.count(run.states, "state"), paint: form.style.faint),
            Table.Cell(text: FindText.what(run.entry), paint: form.style.faint),
          ])
    }
    let name = TerminalText.escaped(found.path)
    let heading = found.runs.first?.entry.type == .directory ? form.style.folder(name) : form.style.heading(name)
    return [heading] + table.lines().map { "    " + $0 }
  }

  private func cells(_ state: LogEntry) -> [Table.Cell] {
    [
      Table.Cell(text: form.id(state.snapshot.id), paint: form.style.id), Table.Cell(text: form.when(state.time)),
      Table.Cell(text: StateLabel.names(state), paint: form.style.name),
    ]
  }

  private static func what(_ entry: FileEntry) -> String {
    switch entry.type {
    case .file: Quantity.bytes(entry.size)
    case .link: "-> " + TerminalText.escaped(entry.target ?? [])
    default: entry.type.description
    }
  }
}

/// A state in few words.
enum StateLabel {
  /// The names, those that were deleted in brackets.
  static func names(_ state: LogEntry) -> String {
    (state.names.map(TerminalText.escaped) + state.deletedNames.map { "[deleted: \(TerminalText.escaped($0))]" })
      .joined(separator: ", ")
  }

  /// What names the state on a command line: a name, or else the id.
  static func word(_ state: LogEntry, _ form: TextForm) -> String {
    state.names.first.map { TerminalText.escaped($0) } ?? form.id(state.snapshot.id)
  }
}
