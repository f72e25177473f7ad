// The JSON of `memento run`: what a command has changed. It goes to standard error, where the command may write too, so
// `type` tells it from other lines.

import MementoKit

struct RunDocument: Encodable {
  let schema = 1
  let type = "run"
  let folder: String
  let folderB64: String?
  /// The exit status of the command, which memento passes on.
  let status: Int32
  /// The number of the signal that ended the command; null when it exited.
  let signal: OrNull<Int32>
  let before: SnapshotDocument
  let after: SnapshotDocument
  let added: Int
  let modified: Int
  let removed: Int
  /// Whether the folder was restored to what it was before the command.
  let restored: Bool
  let problems: [ProblemDocument]
  let storeCreated: Bool

  init(_ result: RunResult, folder: BytePath, storeCreated: Bool) {
    self.folder = folder.lossyText
    folderB64 = folder.base64
    status = result.status
    signal = OrNull(result.signal)
    before = SnapshotDocument(result.before)
    after = SnapshotDocument(result.after)
    added = result.changes.added
    modified = result.changes.modified
    removed = result.changes.removed
    restored = result.isTakenBack
    problems = result.problems.map(ProblemDocument.init)
    self.storeCreated = storeCreated
  }
}
