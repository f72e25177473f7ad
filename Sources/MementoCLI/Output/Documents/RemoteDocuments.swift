// The JSON of `memento remote` and of `memento list REMOTE/`.

import MementoKit

struct RemotesDocument: Encodable {
  struct Entry: Encodable {
    let name: String
    let url: String
    let engine: String
    /// The id of the repository there; null when it has not been seen.
    let repository: OrNull<String>
    let sealed: Bool
    let confirmed: Bool
    /// Null for never.
    let lastContact: OrNull<String>

    init(_ remote: Remote) {
      name = remote.name
      url = remote.url.description
      engine = remote.url.engine.description
      repository = OrNull(remote.repository)
      sealed = remote.isSealed
      confirmed = remote.isConfirmed
      lastContact = OrNull(remote.lastContact?.rfc3339)
    }
  }

  let schema = 1
  let remotes: [Entry]

  init(_ remotes: [Remote]) {
    self.remotes = remotes.map(Entry.init)
  }
}

struct RemoteDocument: Encodable {
  let schema = 1
  let remote: RemotesDocument.Entry
  /// Whether this command has made the repository there; left out where none was looked at.
  let new: Bool?
  /// How many names it has; left out likewise.
  let names: Int?
  let dryRun: Bool

  init(_ summary: RemoteAddSummary, dryRun: Bool) {
    remote = RemotesDocument.Entry(summary.remote)
    new = summary.isNew
    names = summary.names
    self.dryRun = dryRun
  }

  init(removed: Remote, dryRun: Bool) {
    remote = RemotesDocument.Entry(removed)
    new = nil
    names = nil
    self.dryRun = dryRun
  }
}

struct RemoteStatesDocument: Encodable {
  struct State: Encodable {
    let name: String
    let current = false
    /// Always null: a remote does not tell it with its names. `memento show` does.
    let snapshot = OrNull<SnapshotDocument>(nil)
    let id: String
    let host: String
    let time: String
    /// Whether its content is in this store, too.
    let local: Bool

    init(_ state: RemoteState) {
      name = state.name
      id = state.snapshot.description
      host = state.host
      time = state.time.rfc3339
      local = state.isLocal
    }
  }

  let schema = 1
  let remote: String
  let states: [State]

  init(_ remote: String, _ states: [RemoteState]) {
    self.remote = remote
    self.states = states.map(State.init)
  }
}
