// The line that says what a command has done to the folder.

import MementoKit

/// A command that was run, and the folder before and after.
struct RunResult {
  let command: BytePath
  /// Why it counts as failed, in words; nil when it succeeded.
  let failure: String?
  /// As shells say it.
  let status: Int32
  /// What ended it; nil when it ended by itself.
  let signal: Int32?
  let before: Snapshot
  let after: Snapshot
  let changes: ChangeCounts
  var problems: [Problem]
  /// Whether the folder is again what it was before.
  var isTakenBack = false
}

struct RunText {
  let form: TextForm

  /// `make: 3 added, 1 modified; saved as 3f9a1c07be52`, `make: it exited with status 2; no changes`
  func line(_ result: RunResult) -> String {
    var line = TerminalText.escaped(result.command) + ": "
    if let failure = result.failure { line += failure + "; " }
    if result.before.id == result.after.id { return line + "no changes" }
    // Folders and what only they have are not counted.
    line += result.changes == ChangeCounts() ? "no file changed" : SaveText.changes(result.changes)
    let name = result.after.name.map { form.name($0) + " " } ?? ""
    let saved = "saved as \(name)\(form.paintedID(result.after.id))"
    return line + (result.isTakenBack ? ", taken back; what was there is \(saved)" : "; \(saved)")
  }
}
