// The JSON of `memento diff` and `memento show`.

import MementoKit

struct ChangeDocument: Encodable {
  let path: String
  let pathB64: String?
  let change: String
  /// For a rename only.
  let oldPath: String?
  let oldPathB64: String?
  /// The bytes on each side; nil for a side without a file or link.
  let oldSize: UInt64?
  let newSize: UInt64?
  /// The numbers of lines. Only when they were asked for and the content is text.
  let insertions: Int?
  let deletions: Int?

  init(_ change: FileChange, _ stat: FileStat?) {
    path = change.path.lossyText
    pathB64 = change.path.base64
    self.change = change.kind.description
    oldPath = change.oldPath?.lossyText
    oldPathB64 = change.oldPath?.base64
    oldSize = change.old.flatMap(ChangeDocument.size)
    newSize = change.new.flatMap(ChangeDocument.size)
    if case .lines(let insertions, let deletions) = stat?.amount {
      self.insertions = insertions
      self.deletions = deletions
    } else {
      insertions = nil
      deletions = nil
    }
  }

  private static func size(_ entry: FileEntry) -> UInt64? {
    entry.type == .file || entry.type == .link ? entry.size : nil
  }

  static func list(_ changes: [FileChange], _ stats: [FileStat]?) -> [ChangeDocument] {
    changes.enumerated().map { ChangeDocument($1, stats?[$0]) }
  }
}

struct DiffDocument: Encodable {
  let schema = 1
  /// The older side; null when nothing was saved yet.
  let at: OrNull<StatusDocument.Position>
  /// The newer side; null for the folder.
  let to: OrNull<StatusDocument.Position>
  let changes: [ChangeDocument]
  let problems: [ProblemDocument]
  let restorePending: Bool
  let pending: OrNull<PendingDocument>

  /// `stats` are in the order of the changes.
  init(_ comparison: Comparison, _ stats: [FileStat]?, further: [Problem]) {
    at = OrNull(
      comparison.from.map {
        StatusDocument.Position(id: $0.id.description, name: OrNull(comparison.names.first ?? $0.name))
      })
    to = OrNull(comparison.to.map { StatusDocument.Position(id: $0.id.description, name: OrNull($0.name)) })
    changes = ChangeDocument.list(comparison.changes, stats)
    problems = (comparison.problems + further).map(ProblemDocument.init)
    restorePending = comparison.isRestorePending
    pending = OrNull(comparison.interruptedRestore.map(PendingDocument.init))
  }
}

struct SnapshotDetailsDocument: Encodable {
  let schema = 1
  let snapshot: SnapshotDocument
  let names: [String]
  /// What `describe` has noted beside it.
  let note: String?
  let current: Bool
  /// The changes since the parent; null when the parent cannot be compared.
  let changes: OrNull<[ChangeDocument]>
  /// Paths that were in the folder but were not saved.
  let problems: [ProblemDocument]

  init(_ details: SnapshotDetails, _ stats: [FileStat]?) {
    snapshot = SnapshotDocument(details.snapshot)
    names = details.names
    note = details.note
    current = details.isCurrent
    changes = OrNull(details.comparison.map { ChangeDocument.list($0.changes, stats) })
    problems = details.unrecorded.map(ProblemDocument.init)
  }
}
