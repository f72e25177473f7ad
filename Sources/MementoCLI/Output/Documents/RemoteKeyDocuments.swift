// The JSON of `memento remote key`. No secret is ever part of it.

import MementoKit

struct RemoteKeysDocument: Encodable {
  struct Key: Encodable {
    let id: String
    let kind: String
    let label: String
    let made: String
    let current: Bool

    init(_ key: RemoteKey) {
      id = key.id
      kind = key.kind.description
      label = key.label
      made = key.made.rfc3339
      current = key.isCurrent
    }
  }

  let schema = 1
  let remote: String
  let keys: [Key]
  /// What is wrong with others.
  let problems: [String]

  init(_ list: RemoteKeyList) {
    remote = list.remote
    keys = list.keys.map(Key.init)
    problems = list.problems
  }
}

struct RemoteKeyDocument: Encodable {
  let schema = 1
  let remote: String
  let added: OrNull<RemoteKeysDocument.Key>
  let removed: OrNull<RemoteKeysDocument.Key>
  let dryRun: Bool

  init(_ change: RemoteKeyChange) {
    remote = change.remote
    added = OrNull(change.added.map(RemoteKeysDocument.Key.init))
    removed = OrNull(change.removed.map(RemoteKeysDocument.Key.init))
    dryRun = !change.isCommitted
  }
}
