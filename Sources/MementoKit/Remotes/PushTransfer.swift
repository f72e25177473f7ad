// The packs of a push: what the remote lacks, and an index of it.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

/// Follows the steps of a `Pusher`: nothing relies on a pack that is going to be removed. One operation uses it.
final class PushTransfer {
  /// What was sent.
  struct Sent {
    var blobs = 0
    var rawBytes: UInt64 = 0
    var storedBytes: UInt64 = 0
    var packs = 0
  }

  private let view: RemoteView
  private let repository: Repository
  private let monitor: any Monitor
  private let remote: RemoteStore
  private(set) var sent = Sent()
  /// What the pushed snapshots need.
  private let needed: BlobSet
  /// What is pushed and is not in the store here.
  private let own: [ObjectID: [UInt8]]

  /// What some snapshots need. Throws at the first thing that is missing or damaged.
  static func needed(
    _ snapshots: [ObjectID], in repository: Repository, _ monitor: any Monitor
  ) throws(RepositoryError) -> BlobSet {
    try translating { () throws(StoreError) in
      try NeededForPush.blobs(of: snapshots, in: repository.store, monitor: monitor)
    }
  }

  /// `needed`: what the pushed snapshots need. `own`: further blobs, by their ids.
  init(
    _ needed: BlobSet, _ own: [ObjectID: [UInt8]], to view: RemoteView, monitor: any Monitor
  ) throws(RepositoryError) {
    self.view = view
    self.own = own
    self.monitor = monitor
    self.needed = needed
    repository = view.repository
    remote = try view.store()
  }

  /// What would be sent, counted in `sent`.
  func measure() throws(RepositoryError) {
    let plan = try view.session.attempt { () throws(StoreError) in
      try transfer(ignoring: []).plan(needed, asking: false)
    }
    sent.blobs = plan.blobCount
    sent.rawBytes = plan.rawBytes
    sent.storedBytes = plan.storedBytes
  }

  /// Sends what the remote lacks, and an index of it. `pusher` hears of every pack that is relied upon.
  func run(_ pusher: inout Pusher) throws(RepositoryError) {
    try leave(Set(remote.packs.objectNames.filter { !pusher.isReliable($0) }), pusher)
    let adopted = try adoptUnlisted(pusher)
    try send(&pusher, besides: adopted)
    try relyOnAll(&pusher)
  }

  /// Sends anew what only packs had that must not be relied upon any more, until there are none.
  func replaceLost(_ pusher: inout Pusher) throws(RepositoryError) {
    view.session.lookAnew()
    while true {
      let lost = try lostPacks(&pusher)
      if lost.isEmpty { return }
      try leave(lost, pusher)
      try send(&pusher, besides: [])
      try relyOnAll(&pusher)
    }
  }

  private func lostPacks(_ pusher: inout Pusher) throws(RepositoryError) -> Set<ObjectID> {
    var outcome = Result<Set<ObjectID>, RemoteError>.success([])
    var outlines = view.outlines
    do throws(RemoteError) {
      outcome = .success(try pusher.packsToReplace(cache: &outlines))
    } catch {
      outcome = .failure(error)
    }
    view.outlines = outlines
    let result = outcome
    let lost = try view.session.attempt { () throws(RemoteError) in try result.get() }
    try view.takeOver(pusher.indexes.current.union(view.memory.indexes), remote)
    return lost
  }

  private func transfer(ignoring leaving: Set<ObjectID>) -> BlobTransfer {
    let monitor = monitor
    return BlobTransfer(
      from: repository.store, to: remote.store, ignoring: leaving, isCancelled: { monitor.isCancelled },
      moved: { monitor.advance(files: 0, bytes: $0) })
  }

  /// Packs that a collection is going to remove do not count as there: what only they hold is sent anew.
  private func leave(_ objects: Set<ObjectID>, _ pusher: Pusher) throws(RepositoryError) {
    if objects.isEmpty { return }
    remote.packs.distrust(objects)
    // Another object may hold the same pack.
    try view.takeOver(pusher.indexes.current.union(view.memory.indexes), remote)
    try view.session.attempt { () throws(StoreError) in _ = try remote.store.index.reconcile(again: true) }
  }

  /// Packs of a push that was interrupted, or of one that is going on: no index names them yet. What one of them has need
  /// not be sent again.
  private func adoptUnlisted(_ pusher: Pusher) throws(RepositoryError) -> Set<ObjectID> {
    var adopted: Set<ObjectID> = []
    for object in remote.packs.unknownObjects().sorted() where !pusher.isMarked(object) {
      if let id = try view.adopt(object, remote) { adopted.insert(id) }
    }
    return adopted
  }

  private func send(_ pusher: inout Pusher, besides adopted: Set<ObjectID>) throws(RepositoryError) {
    let before = Set(remote.packs.put.keys)
    let plan = try view.session.attempt { () throws(StoreError) in
      let transfer = transfer(ignoring: [])
      let plan = try transfer.plan(needed, asking: false)
      try transfer.run(plan)
      try putOwn()
      return plan
    }
    let new = remote.packs.put.filter { !before.contains($0.key) }
    sent.blobs += plan.blobCount
    sent.rawBytes += plan.rawBytes
    sent.storedBytes += new.values.reduce(0) { $0 + $1.size }
    sent.packs += new.count
    try putIndexes(of: Set(new.keys).union(adopted))
  }

  /// Puts what is not in the store here, unless the remote has it.
  private func putOwn() throws(StoreError) {
    var missing: [ObjectID] = []
    for id in own.keys.sorted() where try remote.store.index.knownPlaces(of: id).isEmpty { missing.append(id) }
    if missing.isEmpty { return }
    let writer = try remote.store.packWriter()
    do throws(StoreError) {
      var block = remote.store.blockWriter(writer, .meta)
      for id in missing where writer.claim(id) {
        var outcome = Result<Void, StoreError>.success(())
        own[id]?.withUnsafeBytes { bytes in
          outcome = Result { () throws(StoreError) in try block.add(id, bytes) }
        }
        try outcome.get()
      }
      try block.flush()
      _ = try writer.finish(durably: true)
    } catch {
      writer.discard()
      throw error
    }
  }

  /// Every blob that is needed is in a pack that `pusher` hears of.
  private func relyOnAll(_ pusher: inout Pusher) throws(RepositoryError) {
    let index = remote.store.index
    let known = index.knownPlaces()
    var packs: Set<UInt32> = []
    try view.session.attempt { () throws(StoreError) in
      func add(_ id: ObjectID) throws(StoreError) {
        var isKnown = false
        try known.forEach(of: id) { place in
          isKnown = true
          packs.insert(place.pack)
        }
        if !isKnown { throw .missing(id) }
      }
      for number in 0..<needed.count { try add(needed.ids[number]) }
      for id in own.keys { try add(id) }
    }
    for pack in packs {
      guard let object = remote.packs.object(of: index.packID(pack)) else {
        throw RepositoryError(.remoteFailed, "a pack that was relied upon is gone from \(view.session.url)")
      }
      pusher.rely(on: object)
    }
  }

  private func putIndexes(of packs: Set<ObjectID>) throws(RepositoryError) {
    var division = IndexDivision()
    for pack in packs.sorted() {
      guard let entry = try view.indexEntry(of: pack, remote) else { continue }
      if let full = division.add(entry) { try putIndex(full) }
    }
    if let last = division.finish() { try putIndex(last) }
  }

  private func putIndex(_ record: IndexRecord) throws(RepositoryError) {
    var generator = SystemRandomNumberGenerator()
    let name = IndexRecord.name(using: &generator)
    let objects = view.session.objects
    try view.session.attempt { () throws(RemoteError) in
      let bytes = try record.encoded()
      do throws(ObjectError) {
        try objects.put(ObjectBytes(bytes), as: name)
      } catch {
        throw .storage(error)
      }
    }
    view.outlines.note(record, as: name)
    view.memory.indexes.insert(name)
  }
}
