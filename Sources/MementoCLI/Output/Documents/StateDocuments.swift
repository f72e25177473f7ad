// States and history in JSON.

import MementoKit

struct ListDocument: Encodable {
  struct State: Encodable {
    let name: String
    let current: Bool
    let snapshot: SnapshotDocument
  }

  let schema = 1
  let states: [State]

  init(_ states: [ListedState]) {
    self.states = states.map {
      State(name: $0.name, current: $0.isCurrent, snapshot: SnapshotDocument($0.snapshot))
    }
  }
}

struct DeleteDocument: Encodable {
  struct State: Encodable {
    let name: String
    let id: String
  }

  let schema = 1
  let deleted: [State]
  let dryRun: Bool

  init(_ deleted: [DeletedState], dryRun: Bool) {
    self.deleted = deleted.map { State(name: $0.name, id: $0.snapshot.description) }
    self.dryRun = dryRun
  }
}

struct LogDocument: Encodable {
  struct Entry: Encodable {
    let op: String
    let time: String
    let current: Bool
    let names: [String]
    let snapshot: SnapshotDocument
    let added: Int
    let modified: Int
    let removed: Int
  }

  let schema = 1
  let entries: [Entry]

  init(_ entries: [LogEntry]) {
    self.entries = entries.map { entry in
      Entry(
        op: entry.operation, time: entry.time.rfc3339, current: entry.isCurrent, names: entry.names,
        snapshot: SnapshotDocument(entry.snapshot), added: entry.snapshot.changes.added,
        modified: entry.snapshot.changes.modified, removed: entry.snapshot.changes.removed)
    }
  }
}
