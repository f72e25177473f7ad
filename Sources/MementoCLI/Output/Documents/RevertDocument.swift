// The JSON of a revert: the restore that it is, the two snapshots, what was merged, and the conflicts.

import MementoKit

struct RevertDocument: Encodable {
  struct Place: Encodable {
    let path: String
    let pathB64: String?

    init(_ path: BytePath) {
      self.path = path.lossyText
      pathB64 = path.base64
    }
  }

  struct Conflict: Encodable {
    let path: String
    let pathB64: String?
    let kind: String
    let marks: Int
  }

  let restore: RestoreDocument
  let from: SnapshotDocument
  let to: SnapshotDocument
  let merged: [Place]
  let conflicts: [Conflict]

  init(_ summary: RevertSummary, folder: BytePath) {
    restore = RestoreDocument(summary.restore, folder: folder)
    from = SnapshotDocument(summary.from)
    to = SnapshotDocument(summary.to)
    merged = summary.merged.map { Place($0) }
    conflicts = summary.conflicts.map {
      Conflict(path: $0.path.lossyText, pathB64: $0.path.base64, kind: $0.kind.description, marks: $0.marks)
    }
  }
}
