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

  struct Command: Encodable {
    /// The first words of the command: 120 bytes at most.
    let words: [String]
    /// The same as base64, when one of them is not UTF-8.
    let wordsB64: [String]?
    /// Whether words, or the end of the last one, are left out.
    let cut: Bool
    /// The exit status, or 128 + the signal number, as in shells.
    let status: Int
    let durationMs: UInt64

    init(_ run: CommandRun) {
      words = run.words.map(\.lossyText)
      let isText = run.words.allSatisfy { $0.base64 == nil }
      wordsB64 = isText ? nil : run.words.map { JSONText.base64($0.bytes) }
      cut = run.isCut
      status = Int(run.status)
      durationMs = run.milliseconds
    }
  }

  struct Restored: Encodable {
    /// The name of the state, or the first digits of the id of a snapshot without one.
    let name: String
    /// For a revert: what changed from `name` to this state was taken back.
    let until: String?
    let created: Int
    let replaced: Int
    let removed: Int
    /// Entries of which only times, permissions or other metadata changed.
    let metadata: Int

    init(_ state: RestoredState) {
      name = state.name
      until = state.until
      created = state.created
      replaced = state.replaced
      removed = state.removed
      metadata = state.metadata
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
    /// Whether undo has taken the step back.
    let takenBack: Bool
    /// The command that made the changes, where `run` ran it.
    let command: Command?
    /// What a restore restored, and what that changed.
    let restored: Restored?
    /// What `describe` has noted beside the snapshot.
    let note: String?
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
        modified: OrNull(entry.counts?.modified), removed: OrNull(entry.counts?.removed), takenBack: entry.isTakenBack,
        command: entry.command.map(Command.init), restored: entry.restored.map(Restored.init), note: entry.note,
        marks: marks ? entry.marks.map(\.description) : nil, deletedNames: marks ? entry.deletedNames : nil,
        changes: entry.changes.map { $0.map(Change.init) })
    }
  }
}
