// The lines that a restore prints.

import MementoKit

struct RestoreText {
  let form: TextForm

  /// The plan of a dry run, one line for each step.
  func plan(_ summary: RestoreSummary) -> [String] {
    summary.plan.map { "\($0.action.description) \(TerminalText.escaped($0.path))" }
  }

  /// For example `restored NAME ID: 3 created, 1 removed; 1.2 MiB written`. `revision` is what the user typed for the
  /// snapshot.
  func summary(_ summary: RestoreSummary, revision: String?, into place: BytePath? = nil) -> String {
    let verb = summary.isCommitted ? "restored" : "would restore"
    let destination = place.map { " into \(TerminalText.escaped($0))" } ?? ""
    let name = form.name(name(summary.snapshot, revision))
    return "\(verb) \(name) \(form.paintedID(summary.snapshot.id))\(destination): " + amounts(summary)
  }

  /// For example `restored what was chosen of NAME ID: 1 replaced; 12 B written`. `revision` is what the user typed for the
  /// snapshot.
  func restoredPieces(_ summary: PatchSummary, revision: String) -> String {
    let verb = summary.restore.isCommitted ? "restored" : "would restore"
    let name = form.name(name(summary.from, revision))
    return "\(verb) what was chosen of \(name) \(form.paintedID(summary.from.id)): " + amounts(summary.restore)
  }

  /// For example `reverted before..after: 2 replaced; 1.2 MiB written`. `range` is what the user typed.
  func reverted(_ summary: RestoreSummary, _ range: String) -> String {
    "\(summary.isCommitted ? "reverted" : "would revert") \(TerminalText.escaped(BytePath(range))): " + amounts(summary)
  }

  /// For example `now at NAME ID: 2 replaced; 1.2 MiB written`. `names` are the names that the snapshot has now.
  func position(_ summary: RestoreSummary, names: [String]) -> String {
    let verb = summary.isCommitted ? "now at" : "would be at"
    return "\(verb) \(form.place(summary.snapshot, names: names)): " + amounts(summary)
  }

  /// A step that undo or redo went over, for example `save before-upgrade 2ae4d1f5219b` or `unsaved changes, now saved as
  /// d1659b0274a9`.
  func step(_ step: MovedStep, of summary: MoveSummary) -> String {
    let id = form.paintedID(step.snapshot)
    if step.isUnsaved { return "unsaved changes" + (summary.restore.isCommitted ? ", now saved as \(id)" : "") }
    let operation = step.operation == .guarded ? "unsaved changes" : "\(step.operation)"
    return step.name.map { "\(operation) \(form.name($0)) \(id)" } ?? "\(operation) \(id)"
  }

  /// For example `took back the restore: 2 replaced; 1.2 MiB written`.
  func aborted(_ summary: RestoreSummary) -> String {
    "took back the restore: " + amounts(summary)
  }

  func amounts(_ summary: RestoreSummary) -> String {
    let parts = [
      (summary.created, "created"), (summary.replaced, "replaced"), (summary.removed, "removed"),
      (summary.metadata, "with other metadata"),
    ]
    let folders = summary.folders
    let folderParts = [
      (folders.created, "created"), (folders.removed, "removed"), (folders.metadata, "with other metadata"),
    ]
    var said = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    said += folderParts.filter { $0.0 > 0 }.map { "\(Quantity.count($0.0, "folder")) \($0.1)" }
    if said.isEmpty, folders.times > 0 { said = ["\(Quantity.count(folders.times, "folder")) with another time"] }
    if said.isEmpty { return "nothing to change" }
    let shared = summary.bytesShared > 0 ? ", \(Quantity.bytes(summary.bytesShared)) shared with the folder" : ""
    return said.joined(separator: ", ") + "; \(Quantity.bytes(summary.bytesWritten)) "
      + (summary.isCommitted ? "written" : "would be written") + shared
  }

  /// How to go back after the restore; nil when nothing was saved before it. With `ofPaths`, only some paths were
  /// saved, and restoring that snapshot would take back more, so the line names `memento undo`.
  func `guard`(_ summary: RestoreSummary, ofPaths: Bool = false) -> String? {
    guard let saved = summary.guard, summary.isCommitted else { return nil }
    let way = ofPaths ? "memento undo" : "memento restore \(saved.id.short)"
    return "what was there is saved as \(form.paintedID(saved.id)); to go back: \(way)"
  }

  /// The name to print. If the user typed an id, it is not repeated as a name.
  func name(_ snapshot: Snapshot, _ revision: String?) -> String? {
    guard let revision, !snapshot.id.description.hasPrefix(revision.lowercased()) else { return snapshot.name }
    return revision
  }
}
