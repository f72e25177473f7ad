// The JSON of `memento run`: what a command has changed. It goes to standard error, where the command may write too, so
// `type` tells it from other lines.

import MementoKit

struct RunDocument: Encodable {
  let schema = 1
  let type = "run"
  let folder: String
  let folderB64: String?
  /// The exit status of the command.
  let status: Int32
  /// The exit status of `memento run`: that of the command, or 125 when it touched what is outside of --only.
  let exitStatus: Int32
  /// The number of the signal that ended the command; null when it exited.
  let signal: OrNull<Int32>
  let before: SnapshotDocument
  let after: SnapshotDocument
  let added: Int
  let modified: Int
  let removed: Int
  /// The first thousand paths that the command changed, and how many more there are.
  let changes: [PathChangeDocument]
  let changesOmitted: Int
  /// Those of them that are outside of --only, which were taken back.
  let takenBack: [PathChangeDocument]
  let takenBackOmitted: Int
  /// Whether the folder was restored to what it was before the command.
  let restored: Bool
  /// The id of the snapshot that the folder is at now.
  let now: String
  /// The command that takes back what the folder still has of the changes; null when it has none.
  let undo: OrNull<String>
  /// How long the command ran.
  let durationMs: Int
  let problems: [ProblemDocument]
  let storeCreated: Bool

  init(_ result: RunResult, exitStatus: ExitStatus, folder: BytePath, storeCreated: Bool) {
    self.folder = folder.lossyText
    folderB64 = folder.base64
    status = result.status
    self.exitStatus = exitStatus.code
    signal = OrNull(result.signal)
    before = SnapshotDocument(result.before)
    after = SnapshotDocument(result.after)
    added = result.changes.added
    modified = result.changes.modified
    removed = result.changes.removed
    changes = result.listed.first.map(PathChangeDocument.init)
    changesOmitted = result.listed.omitted
    takenBack = result.outside.first.map(PathChangeDocument.init)
    takenBackOmitted = result.outside.omitted
    restored = result.isTakenBack
    let end = result.now ?? result.after
    now = end.id.description
    undo = OrNull(end.id == result.before.id ? nil : TakingBack.restore(result.before.id))
    durationMs = result.milliseconds
    problems = result.problems.map(ProblemDocument.init)
    self.storeCreated = storeCreated
  }
}
