// The history in JSON.

import MementoKit

struct LogDocument: Encodable {
  struct Change: Encodable {
    let path: String
    let pathB64: String?
    let change: String
    let oldSize: UInt64?
    let size: UInt64?

    init(_ sized: SizedChange) {
      path = sized.change.path.lossyText
      pathB64 = sized.change.path.base64
      change = sized.change.kind.rawValue
      oldSize = sized.oldSize
      size = sized.newSize
    }
  }

  struct Entry: Encodable {
    let op: String
    let time: String
    let current: Bool
    let names: [String]
    let snapshot: SnapshotDocument
    let added: Int
    let modified: Int
    let removed: Int
    /// With `--all` only.
    let marks: [String]?
    let deletedNames: [String]?
    /// With `--stat` only.
    let changes: [Change]?
  }

  let schema = 1
  let entries: [Entry]

  /// `marks`: whether what is on the timeline no more is told apart.
  init(_ entries: [LogEntry], marks: Bool = false) {
    self.entries = entries.map { entry in
      Entry(
        op: entry.operation, time: entry.time.rfc3339, current: entry.isCurrent, names: entry.names,
        snapshot: SnapshotDocument(entry.snapshot), added: entry.snapshot.changes.added,
        modified: entry.snapshot.changes.modified, removed: entry.snapshot.changes.removed,
        marks: marks ? entry.marks.map(\.rawValue) : nil, deletedNames: marks ? entry.deletedNames : nil,
        changes: entry.changes.map { $0.map(Change.init) })
    }
  }
}
