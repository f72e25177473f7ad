// The JSON of a revert: that of a restore, with the two snapshots, what was merged, and the conflicts.

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

  private enum CodingKeys: String, CodingKey {
    case from
    case to
    case merged
    case conflicts
  }

  private let restore: RestoreDocument
  private let from: SnapshotDocument
  private let to: SnapshotDocument
  private let merged: [Place]
  private let conflicts: [Conflict]

  init(_ summary: RevertSummary, folder: BytePath) {
    restore = RestoreDocument(summary.restore, folder: folder)
    from = SnapshotDocument(summary.from)
    to = SnapshotDocument(summary.to)
    merged = summary.merged.map { Place($0) }
    conflicts = summary.conflicts.map {
      Conflict(path: $0.path.lossyText, pathB64: $0.path.base64, kind: $0.kind.description, marks: $0.marks)
    }
  }

  func encode(to encoder: any Encoder) throws {
    try restore.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(from, forKey: .from)
    try container.encode(to, forKey: .to)
    try container.encode(merged, forKey: .merged)
    try container.encode(conflicts, forKey: .conflicts)
  }
}
