// The lines of `memento status`.

import MementoKit

struct StatusText {
  let form: TextForm

  /// A line such as `at before-upgrade 2ae4d1f5219b`, then a line for each change. `original`: the folder of which this one is
  /// a fork.
  func lines(_ summary: StatusSummary, forkOf original: BytePath?) -> [String] {
    var lines = original.map { ["fork of \(TerminalText.escaped($0))"] } ?? []
    if let at = summary.at {
      lines.append("at " + form.place(at, names: summary.names))
    } else {
      lines.append("nothing saved yet")
    }
    if let time = summary.lastVerified { lines.append("last verified \(form.when(time))") }
    lines += summary.changes.map { form.change($0.kind, $0.path) }
    if summary.at != nil, summary.changes.isEmpty { lines.append("nothing changed") }
    return lines
  }

  /// A letter, a space, the bytes of the path and NUL for each change.
  func records(_ summary: StatusSummary) -> [UInt8] {
    summary.changes.flatMap { Array("\(StatusText.letter($0.kind)) ".utf8) + $0.path.bytes + [0] }
  }

  static func letter(_ kind: ChangeKind) -> String { ChangeLetter.of(kind) }
}
