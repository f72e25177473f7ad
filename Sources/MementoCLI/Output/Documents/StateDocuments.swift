// The JSON of the commands list, delete, rename and describe.

import MementoKit

struct ListDocument: Encodable {
  struct State: Encodable {
    let name: String
    let current: Bool
    /// Null when the snapshot cannot be read. Then `id` has its id and `problem` the reason.
    let snapshot: OrNull<SnapshotDocument>
    let id: String?
    let problem: String?
  }

  let schema = 1
  let states: [State]
  /// What was last seen of the remotes; left out unless asked for.
  let remoteStates: [RemoteStatesDocument.State]?

  init(_ states: [ListedState], ofRemotes seen: [RemoteState]? = nil) {
    remoteStates = seen.map { $0.map(RemoteStatesDocument.State.init) }
    self.states = states.map {
      State(
        name: $0.name, current: $0.isCurrent,
        snapshot: OrNull($0.problem == nil ? SnapshotDocument($0.snapshot) : nil),
        id: $0.problem == nil ? nil : $0.snapshot.id.description, problem: $0.problem)
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

struct PurgedStatesDocument: Encodable {
  struct State: Encodable {
    let name: String
    let id: String
    /// Other names of the snapshot, which keep it.
    let otherNames: [String]
    /// Whether the folder is at the snapshot, which keeps it.
    let current: Bool
  }

  let schema = 1
  let deleted: [State]
  let purged = true
  let stepsRemoved: Int
  let bytesFreed: UInt64
  /// Packs that still hold some of it, because the disk is full.
  let packsNotRewritten: Int
  let dryRun: Bool

  init(_ summary: PurgeSummary) {
    packsNotRewritten = summary.garbage?.packsNotRewritten ?? 0
    deleted = summary.deleted.map {
      State(name: $0.name, id: $0.snapshot.description, otherNames: $0.otherNames, current: $0.isCurrent)
    }
    stepsRemoved = summary.stepsRemoved
    bytesFreed = summary.bytesFreed
    dryRun = summary.garbage == nil
  }
}

struct RenameDocument: Encodable {
  let schema = 1
  let old: String
  let new: String
  let id: String
  /// The id of the snapshot that had the new name before.
  let replaced: OrNull<String>
  let dryRun: Bool

  init(_ renamed: RenamedState, dryRun: Bool) {
    old = renamed.oldName
    new = renamed.newName
    id = renamed.snapshot.description
    replaced = OrNull(renamed.replaced?.description)
    self.dryRun = dryRun
  }
}

struct DescribeDocument: Encodable {
  let schema = 1
  /// The id of the snapshot.
  let id: String
  /// Its note now; null for none.
  let note: OrNull<String>
  /// The note that another one has taken the place of; null for none.
  let replaced: OrNull<String>
  let dryRun: Bool

  init(_ noted: NotedSnapshot, dryRun: Bool) {
    id = noted.snapshot.description
    note = OrNull(noted.note)
    replaced = OrNull(noted.replaced)
    self.dryRun = dryRun
  }
}
