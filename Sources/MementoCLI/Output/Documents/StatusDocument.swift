// The JSON of `memento status`: where the folder is, and what has changed since.

import MementoKit

struct StatusDocument: Encodable {
  struct Position: Encodable {
    let id: String
    let name: OrNull<String>
  }

  let schema = 1
  let at: OrNull<Position>
  let changes: [PathChangeDocument]
  /// Counts of the changes, without folders.
  let added: Int
  let modified: Int
  let removed: Int
  let problems: [ProblemDocument]
  let restorePending: Bool
  let pending: OrNull<PendingDocument>
  let lastVerified: OrNull<String>
  /// The folder of which this one is a fork; null when it is none.
  let forkOf: OrNull<String>
  let forkOfB64: String?

  init(_ summary: StatusSummary, forkOf original: BytePath?) {
    forkOf = OrNull(original?.lossyText)
    forkOfB64 = original?.base64
    at = OrNull(summary.at.map { Position(id: $0.id.description, name: OrNull(summary.names.first)) })
    changes = summary.changes.map(PathChangeDocument.init)
    added = summary.counts.added
    modified = summary.counts.modified
    removed = summary.counts.removed
    problems = summary.problems.map(ProblemDocument.init)
    restorePending = summary.isRestorePending
    pending = OrNull(summary.interruptedRestore.map(PendingDocument.init))
    lastVerified = OrNull(summary.lastVerified?.rfc3339)
  }
}
