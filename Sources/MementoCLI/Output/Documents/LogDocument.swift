// The JSON of `memento log`.

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
      change = sized.change.kind.description
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
    /// The counts are null when the snapshot before is damaged or not stored any more.
    let added: OrNull<Int>
    let modified: OrNull<Int>
    let removed: OrNull<Int>
    /// With `--all` only.
    let marks: [String]?
    let deletedNames: [String]?
    /// With `--stat` only.
    let changes: [Change]?
  }

  let schema = 1
  let entries: [Entry]

  /// `marks` adds the marks of entries that are not on the timeline any more.
  init(_ entries: [LogEntry], marks: Bool = false) {
    self.entries = entries.map { entry in
      Entry(
        op: entry.operation.description, time: entry.time.rfc3339, current: entry.isCurrent, names: entry.names,
        snapshot: SnapshotDocument(entry.snapshot), added: OrNull(entry.counts?.added),
        modified: OrNull(entry.counts?.modified), removed: OrNull(entry.counts?.removed),
        marks: marks ? entry.marks.map(\.description) : nil, deletedNames: marks ? entry.deletedNames : nil,
        changes: entry.changes.map { $0.map(Change.init) })
    }
  }
}
