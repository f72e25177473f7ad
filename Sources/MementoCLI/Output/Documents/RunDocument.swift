// What a command has done to the folder, in JSON. It goes to standard error, between what the command writes there: its
// type tells it from the rest.

import MementoKit

struct RunDocument: Encodable {
  let schema = 1
  let type = "run"
  let folder: String
  let folderB64: String?
  /// The exit status that is passed on.
  let status: Int32
  /// The number of the signal that ended the command.
  let signal: OrNull<Int32>
  let before: SnapshotDocument
  let after: SnapshotDocument
  let added: Int
  let modified: Int
  let removed: Int
  /// Whether the folder is again what it was before.
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
