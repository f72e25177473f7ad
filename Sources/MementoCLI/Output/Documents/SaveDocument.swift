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

  init(_ summary: SaveSummary, folder: BytePath, storeCreated: Bool, push: PushSummary? = nil) {
    self.push = push.map(PushDocument.init)
    self.folder = folder.lossyText
    folderB64 = folder.base64
    snapshot = SnapshotDocument(summary.snapshot)
    replaced = OrNull(summary.replaced?.description)
    added = summary.changes.added
    modified = summary.changes.modified
    removed = summary.changes.removed
    bytesRead = summary.bytesRead
    bytesStored = summary.bytesStored
    problems = summary.problems.map(ProblemDocument.init)
    dryRun = !summary.isCommitted
    unchanged = summary.isUnchanged
    self.storeCreated = storeCreated
  }
}
