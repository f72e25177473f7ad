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
  /// The paths that the command changed, taken back or not.
  var listed = ChangeList()
  /// Those that it was not to touch, and that were taken back.
  var outside = ChangeList()
  /// Where the folder is now; nil when it is at `after`.
  var now: Snapshot?
  /// How long the command ran.
  var milliseconds = 0
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
    if let now = result.now, !result.outside.isEmpty, !result.isTakenBack {
      let count = result.outside.first.count + result.outside.omitted
      let named = now.name.map { form.name($0) + " " } ?? ""
      return line + "; \(count) outside of --only taken back; saved as \(named)\(form.paintedID(now.id)), "
        + "with what was taken back as \(form.paintedID(result.after.id))"
    }
    let after = result.isTakenBack ? result.after : result.now ?? result.after
    let name = after.name.map { form.name($0) + " " } ?? ""
    let saved = "saved as \(name)\(form.paintedID(after.id))"
    return line + (result.isTakenBack ? ", taken back; what was there is \(saved)" : "; \(saved)")
  }

  /// What was taken back because it is outside of --only, a line each.
  func outside(_ result: RunResult) -> [String] {
    let shown = result.outside.first.prefix(RunText.shownPaths)
    let rest = result.outside.first.count - shown.count + result.outside.omitted
    let lines = shown.map { "outside of --only, taken back: \(TerminalText.escaped($0.path)) (\($0.kind))" }
    return rest == 0 ? lines : lines + ["outside of --only, taken back: \(rest) more"]
  }

  private static let shownPaths = 20
}
