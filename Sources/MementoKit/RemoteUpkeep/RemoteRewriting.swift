// Moves what is needed of packs of a remote into new ones, so that the rest of them can go.

internal import MementoModel
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

/// Works off packs in parts, each complete by itself: new packs, an index of them, a mark of the old ones. Killed anywhere,
/// it has lost nothing, and the next collection does the rest.
struct RemoteRewriting {
  /// About so many bytes are moved before the old packs are marked.
  private static let partSize: UInt64 = 1 << 30

  let look: RemoteLook
  let needs: RemoteNeeds
  let collector: Collector
  let monitor: any Monitor

  /// What was done.
  struct Moved {
    var old: [ObjectID] = []
    var newPacks = 0
    var newBytes: UInt64 = 0
    var isComplete = true
  }

  /// `gone`: packs that were removed just now.
  func run(_ packs: [ObjectID], besides gone: [ObjectID]) throws(RepositoryError) -> Moved {
    var result = Moved()
    if packs.isEmpty { return result }
    try leave(Set(look.look.marks.packs.keys).union(gone))
    for part in parts(packs) {
      if monitor.isCancelled { throw .cancelled }
      let before = Set(look.remote.packs.put.values.map(\.name))
      guard try move(part) else {
        result.isComplete = false
        return result
      }
      let new = look.remote.packs.put.values.filter { !before.contains($0.name) }
      result.old += part
      result.newPacks += new.count
      result.newBytes += new.reduce(0) { $0 + $1.size }
    }
    return result
  }

  /// Nothing is read of packs that are marked: others may be removing them.
  private func leave(_ objects: Set<ObjectID>) throws(RepositoryError) {
    look.remote.packs.distrust(objects)
    // Another object may hold the same pack.
    try look.view.takeOver(look.look.indexes.current, look.remote)
    try look.view.session.attempt { () throws(StoreError) in _ = try look.remote.store.index.reconcile(again: true) }
  }

  private func parts(_ packs: [ObjectID]) -> [[ObjectID]] {
    var parts: [[ObjectID]] = []
    var size: UInt64 = 0
    for pack in packs {
      let more = needs.sparse[pack] ?? 0
      if parts.isEmpty || size + more > RemoteRewriting.partSize {
        parts.append([])
        size = 0
      }
      parts[parts.count - 1].append(pack)
      size += more
    }
    return parts
  }

  private func move(_ old: [ObjectID]) throws(RepositoryError) -> Bool {
    let session = look.view.session
    let remote = look.remote
    let wanted = try needs.blobs(of: Set(old))
    let begun = try session.attempt { () throws(RemoteError) in try collector.beginMoving() }
    let before = Set(remote.packs.put.values.map(\.name))
    // Each blob is copied, also where another pack has it: that one may be about to go.
    let all = try session.attempt { () throws(StoreError) in
      Set(try remote.packs.list(withSizes: false).map(\.id))
    }
    let monitor = monitor
    _ = try session.receive { () throws(StoreError) in
      let transfer = BlobTransfer(
        from: remote.store, to: remote.store, ignoring: all, isCancelled: { monitor.isCancelled },
        moved: { monitor.advance(files: 0, bytes: $0) })
      return try transfer.run(try transfer.plan(wanted, asking: false))
    }
    var entries: [IndexRecord.Pack] = []
    for (id, pack) in remote.packs.put.sorted(by: { $0.key < $1.key }) where !before.contains(pack.name) {
      if let entry = try look.view.indexEntry(of: id, remote) { entries.append(entry) }
    }
    return try session.attempt { () throws(RemoteError) in
      var generator = SystemRandomNumberGenerator()
      return try collector.finishMoving(old, into: entries, since: begun, using: &generator)
    }
  }
}
