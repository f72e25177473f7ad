// The line of `memento run` that says what the command has changed.

import MementoKit

/// A command that was run, with the snapshots before and after it.
struct RunResult {
  let command: BytePath
  /// The failure in words; nil when the command succeeded.
  let failure: String?
  /// The exit status, or 128 + the signal number, as in shells.
  let status: Int32
  /// The signal that ended the command; nil when it exited.
  let signal: Int32?
  let before: Snapshot
  let after: Snapshot
  let changes: ChangeCounts
  var problems: [Problem]
  /// Whether the folder was restored to what it was before the command.
  var isTakenBack = false
}

struct RunText {
  let form: TextForm

  /// For example `make: 3 added, 1 modified; saved as 3f9a1c07be52` or `make: it exited with status 2; no changes`.
  func line(_ result: RunResult) -> String {
    var line = TerminalText.escaped(result.command) + ": "
    if let failure = result.failure { line += failure + "; " }
    if result.before.id == result.after.id { return line + "no changes" }
    // The counts do not include folders.
    line += result.changes == ChangeCounts() ? "no file changed" : SaveText.changes(result.changes)
    let name = result.after.name.map { form.name($0) + " " } ?? ""
    let saved = "saved as \(name)\(form.paintedID(result.after.id))"
    return line + (result.isTakenBack ? ", taken back; what was there is \(saved)" : "; \(saved)")
  }
}
