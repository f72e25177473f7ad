// The screen that `memento` alone prints.

import MementoKit

struct OverviewText {
  let form: TextForm

  /// The most changes that are listed; the rest is counted.
  private static let mostChanges = 10

  /// What to type first, in a folder without a store.
  /// `needsInit`: a save does not make a store here.
  static func firstSteps(_ folder: String, needsInit: Bool) -> [String] {
    [
      "There is no store for \(folder) yet.",
      "",
    ] + (needsInit ? ["  memento init           make one, if you want to save all of this folder"] : []) + [
      "  memento save NAME      record the folder exactly as it is, under a name",
      "  memento restore NAME   make it exactly that again",
      "  memento --help         list all commands",
    ]
  }

  /// `original`: the folder of which `folder` is a fork.
  func lines(
    _ overview: FolderOverview, of folder: BytePath, forkOf original: BytePath?, in store: BytePath
  ) -> [String] {
    let status = overview.status
    var lines = [
      TerminalText.escaped(folder) + (original.map { ", a fork of \(TerminalText.escaped($0))" } ?? ""),
      "\(Quantity.count(overview.states, "state")), \(Quantity.bytes(overview.storedBytes)) in "
        + TerminalText.escaped(store),
    ]
    if let time = status.lastVerified { lines.append("last verified \(form.when(time))") }
    lines.append("")
    lines += changes(status)
    if !overview.entries.isEmpty {
      lines.append("")
      lines += LogText(form: form).shortLines(overview.entries)
    }
    // As long as a restore is pending, there is nothing else to do than what was said of it.
    if !status.isRestorePending {
      lines.append("")
      lines += moves(overview)
    }
    return lines
  }

  private func changes(_ status: StatusSummary) -> [String] {
    guard let at = status.at else { return ["nothing saved yet: memento save NAME"] }
    let place = "at " + form.place(at, names: status.names)
    if status.changes.isEmpty { return [place + ", nothing changed"] }
    let counts = status.counts
    let parts = [(counts.added, "added"), (counts.modified, "modified"), (counts.removed, "removed")]
    let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    // Folders do not count.
    var lines = [place + ", since then " + (words.isEmpty ? "only folders changed" : words.joined(separator: ", "))]
    lines += status.changes.prefix(OverviewText.mostChanges).map {
      "  " + form.change($0.kind, $0.path)
    }
    let rest = status.changes.count - OverviewText.mostChanges
    if rest > 0 { lines.append("  and \(rest) more: memento status") }
    return lines
  }

  private func moves(_ overview: FolderOverview) -> [String] {
    var lines: [String] = []
    if let undo = overview.undo {
      let place = form.place(undo.snapshot, names: undo.names)
      lines.append(
        overview.status.changes.isEmpty
          ? "memento undo goes to \(place)" : "memento undo saves these changes and goes back to \(place)")
    } else {
      lines.append("nothing to undo")
    }
    // With unsaved changes, an undo or a save comes first: redo would save them, and so end the steps after them.
    if let redo = overview.redo, overview.status.changes.isEmpty {
      lines.append("memento redo goes to \(form.place(redo.snapshot, names: redo.names))")
    }
    return lines
  }
}
