// The JSON of a restore: what it did or would do.

import MementoKit

struct RestoreDocument: Encodable {
  struct Change: Encodable {
    let action: String
    let path: String
    let pathB64: String?
    let bytes: UInt64
  }

  struct Folders: Encodable {
    let created: Int
    let removed: Int
    let metadata: Int
    let times: Int
  }

  struct Place: Encodable {
    let path: String
    let pathB64: String?
  }

  let schema = 1
  /// The folder that is changed; left out for a restore into another folder.
  let folder: String?
  let folderB64: String?
  let snapshot: SnapshotDocument
  let `guard`: OrNull<String>
  let created: Int
  let replaced: Int
  let removed: Int
  let metadata: Int
  /// The counts of folders. The counts above leave folders out.
  let folders: Folders
  let bytesWritten: UInt64
  /// Bytes in files that share their blocks with a file of the folder.
  let bytesShared: UInt64
  let problems: [ProblemDocument]
  /// Paths to which content was moved that appeared during the restore.
  let rescued: [Place]
  let dryRun: Bool
  /// All steps; for a dry run only.
  let plan: [Change]?

  init(_ summary: RestoreSummary, folder: BytePath?) {
    self.folder = folder?.lossyText
    folderB64 = folder?.base64
    snapshot = SnapshotDocument(summary.snapshot)
    `guard` = OrNull(summary.guard?.id.description)
    created = summary.created
    replaced = summary.replaced
    removed = summary.removed
    metadata = summary.metadata
    let counts = summary.folders
    folders = Folders(
      created: counts.created, removed: counts.removed, metadata: counts.metadata, times: counts.times)
    bytesWritten = summary.bytesWritten
    bytesShared = summary.bytesShared
    problems = summary.problems.map(ProblemDocument.init)
    rescued = summary.rescued.map { Place(path: $0.lossyText, pathB64: $0.base64) }
    dryRun = !summary.isCommitted
    plan =
      summary.isCommitted
      ? nil
      : summary.plan.map {
        Change(action: $0.action.description, path: $0.path.lossyText, pathB64: $0.path.base64, bytes: $0.bytes)
      }
  }
}

/// The JSON of undo and redo: that of a restore, with the steps that were passed.
struct MoveDocument: Encodable {
  struct Step: Encodable {
    let op: String
    let name: OrNull<String>
    let id: String
    let unsaved: Bool
  }

  private enum CodingKeys: String, CodingKey {
    case steps
  }

  private let restore: RestoreDocument
  private let steps: [Step]

  init(_ summary: MoveSummary, folder: BytePath) {
    restore = RestoreDocument(summary.restore, folder: folder)
    steps = summary.steps.map {
      Step(op: $0.operation.description, name: OrNull($0.name), id: $0.snapshot.description, unsaved: $0.isUnsaved)
    }
  }

  func encode(to encoder: any Encoder) throws {
    try restore.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(steps, forKey: .steps)
  }
}
