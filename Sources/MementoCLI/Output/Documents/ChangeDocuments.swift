// The JSON of a changed path and of a pending restore, which other documents contain.

import MementoKit

struct PathChangeDocument: Encodable {
  let path: String
  let pathB64: String?
  let change: String

  init(_ change: Change) {
    path = change.path.lossyText
    pathB64 = change.path.base64
    self.change = change.kind.description
  }
}

/// A restore that was interrupted.
struct PendingDocument: Encodable {
  struct Place: Encodable {
    let path: String
    let pathB64: String?
  }

  /// The snapshot that was being restored.
  let snapshot: String
  /// The snapshot of the folder before it; null when the folder was not saved then.
  let before: OrNull<String>
  /// The only paths that it was to change; empty for the whole folder.
  let paths: [Place]
  let `continue` = "memento restore --continue"
  let abort = "memento restore --abort"

  init(_ pending: InterruptedRestore) {
    snapshot = pending.snapshot.description
    before = OrNull(pending.before?.description)
    paths = pending.paths.map { Place(path: $0.lossyText, pathB64: $0.base64) }
  }
}
