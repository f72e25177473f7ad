// The JSON of `memento save`.

import MementoKit

struct SaveDocument: Encodable {
  let schema = 1
  /// The folder that the store belongs to.
  let folder: String
  let folderB64: String?
  let snapshot: SnapshotDocument
  /// The id of the snapshot that had the name before.
  let replaced: OrNull<String>
  let added: Int
  let modified: Int
  let removed: Int
  /// The first thousand paths, and how many more there are. Left out where no folder was saved.
  let changes: [PathChangeDocument]?
  let changesOmitted: Int?
  /// The command that takes the save back; null when there is nothing to take back.
  let undo: OrNull<String>
  let durationMs: Int
  let bytesRead: UInt64
  let bytesStored: UInt64
  let problems: [ProblemDocument]
  let dryRun: Bool
  /// Whether the save made no snapshot because nothing had changed.
  let unchanged: Bool
  /// Whether this save made the store.
  let storeCreated: Bool
  /// Left out when nothing was pushed.
  let push: PushDocument?

  /// `name`: the name that the save has given.
  init(
    _ summary: SaveSummary, folder: BytePath, storeCreated: Bool, name: String? = nil, push: PushSummary? = nil,
    milliseconds: Int = 0
  ) {
    self.push = push.map(PushDocument.init)
    self.folder = folder.lossyText
    folderB64 = folder.base64
    snapshot = SnapshotDocument(summary.snapshot)
    replaced = OrNull(summary.replaced?.description)
    added = summary.changes.added
    modified = summary.changes.modified
    removed = summary.changes.removed
    changes = summary.listed?.first.map(PathChangeDocument.init)
    changesOmitted = summary.listed?.omitted
    undo = OrNull(TakingBack.command(summary, name: name))
    durationMs = milliseconds
    bytesRead = summary.bytesRead
    bytesStored = summary.bytesStored
    problems = summary.problems.map(ProblemDocument.init)
    dryRun = !summary.isCommitted
    unchanged = summary.isUnchanged
    self.storeCreated = storeCreated
  }
}
