// What a remote says at one time: its names, and where its blobs are.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

/// A remote that was asked for its names, with what this store remembers of it. One operation uses it.
final class RemoteView {
  let repository: Repository
  let name: String
  let session: RemoteSession
  private(set) var entry: RemoteEntry
  /// What is remembered of the remote, with what it says now.
  var memory: RefsMark
  /// All records of the remote, merged.
  var table: NameTable { memory.table }
  /// What the names meant when this store last looked.
  let tableBefore: NameTable
  var outlines: IndexOutlines
  /// The time of the look, by the clock of the remote.
  let now: Timestamp
  private let folder: RemoteFolder
  private var opened: RemoteStore?
  /// Whether damaged indexes are passed over: for a check or a repair.
  var toleratesDamage = false
  /// Records of names that this store has seen and that the remote has lost. What they said is among the names that are
  /// known here. Only where they were asked for.
  let lost: [Dot]

  /// Reaches a remote that was added, and asks it for its names. Throws `.noSuchRemote` when there is none of this name,
  /// and `.invalidArgument` when its use was not confirmed for this store. `toleratesLoss`: goes on where the remote has lost
  /// a record of names, for a check or a repair. `meanwhile` runs while the remote is being reached.
  init(
    _ repository: Repository, _ name: String, _ access: RemoteAccess, toleratesLoss: Bool = false,
    monitor: any Monitor, meanwhile: () -> Void = {}
  ) throws(RepositoryError) {
    self.repository = repository
    self.name = name
    folder = RemoteFolder(repository)
    entry = try folder.entry(name)
    guard entry.isConfirmed(in: repository) else {
      throw RepositoryError(
        .invalidArgument, "the remote \(name) (\(entry.url)) was added to another store, of which this is a copy",
        reason: .unconfirmedRemote)
    }
    session = try RemoteSession(
      name, entry.url, access, expecting: entry, opened: try folder.opening(name), monitor: monitor,
      meanwhile: meanwhile)
    memory = try folder.memory(of: name, entry)
    outlines = try folder.outlines(name)
    tableBefore = memory.table
    let known = memory
    let listed = session.listed
    let reading = try session.attempt { () throws(RemoteError) in
      try RefsReading.read(listed, known: known.table, heads: known.heads)
    }
    lost = reading.missing
    if let first = lost.first, !toleratesLoss { throw RemoteView.loss(of: first, name) }
    now = reading.now
    memory.remember(reading)
    // As long as they are lost, every look says so.
    memory.heads += lost
  }

  static func loss(of record: Dot, _ remote: String) -> RepositoryError {
    RepositoryError(
      .damaged,
      "the remote \(remote) has lost a record of names that this store has seen (\(record)): it was rolled back",
      reason: .rolledBackRemote)
  }

  /// The packs of the remote, with an index that knows all that it says.
  func store() throws(RepositoryError) -> RemoteStore {
    if let opened { return opened }
    let root = try folder.make(name)
    let store = try session.openStore(in: root, like: repository.store)
    // Where nothing is left of the tables, all is asked for again.
    if store.store.index.listedPacks().isEmpty { outlines = IndexOutlines() }
    let listed = session.listed
    let index = store.store.index
    outlines.takeOver = { (records) throws(RemoteError) in
      do throws(StoreError) {
        for record in records { try index.takeOver(record.packs.map { ($0.id, $0.size, $0.contents) }) }
      } catch {
        if case .damaged(let file, let reason) = error { throw .damaged(nil, reason: "\(file): \(reason)") }
        throw .storage(ObjectError(.local, nil, RepositoryError(error).message))
      }
    }
    let tolerates = toleratesDamage
    var outlines = outlines
    let reading = try session.attempt { () throws(RemoteError) in
      try IndexReading(listed, cache: &outlines, toleratesDamage: tolerates)
    }
    self.outlines = outlines
    try takeOver(reading.current, store)
    try session.attempt { () throws(StoreError) in _ = try store.store.index.reconcile(again: true) }
    opened = store
    return store
  }

  /// Begins a push. `host`: the name of this machine.
  func pusher(from host: String) throws(RepositoryError) -> Pusher {
    let memory = memory
    let storage = session.listed
    var outlines = outlines
    let made = try session.attempt { () throws(RemoteError) in
      try Pusher(
        storage, grace: RemoteGrace.seconds, writer: memory.writer, host: host, known: memory.table,
        heads: memory.heads, cache: &outlines)
    }
    self.outlines = outlines
    return made
  }

  /// Puts a record of names with a change that needs no packs. What somebody else moves at the same time stays. `host`: the
  /// name of this machine.
  func commit(_ change: TableChange, from host: String) throws(RepositoryError) {
    let storage = session.objects
    var table = table
    let writer = memory.writer
    let now = now
    let record = try session.attempt { () throws(RemoteError) in
      try RefsCommit(storage, writer: writer, host: host).commit(change, upon: &table, now: now)
    }
    memory.table = table
    memory.heads = [record.dot]
    try remember()
  }

  /// Tells the index of packs that indexes name.
  func takeOver(_ indexes: Set<ObjectName>, _ remote: RemoteStore) throws(RepositoryError) {
    for record in outlines.takeUnread() {
      try session.receive { () throws(StoreError) in
        try remote.store.index.takeOver(record.packs.map { ($0.id, $0.size, $0.contents) })
      }
    }
    let packs = outlines.packs(of: indexes)
    let marked = try markedTwins(packs)
    for pack in packs where !marked.contains(pack.name) { remote.packs.note(pack) }
    // A marked object is better than none.
    for pack in packs where marked.contains(pack.name) && remote.packs[pack.id] == nil { remote.packs.note(pack) }
    memory.indexes = indexes
  }

  /// The marked ones of objects that hold the same pack. A repair marks an object that is hurt, and puts the pack again. The
  /// marks are asked for only where there are such objects.
  private func markedTwins(_ packs: [IndexOutlines.Pack]) throws(RepositoryError) -> Set<ObjectID> {
    var objects: [ObjectID: Set<ObjectID>] = [:]
    for pack in packs { objects[pack.id, default: []].insert(pack.name) }
    let twins = objects.values.filter { $0.count > 1 }
    if twins.isEmpty { return [] }
    let listed = session.listed
    let marks = try session.attempt { () throws(RemoteError) in try MarksReading(listed, toleratesDamage: true) }
    return Set(twins.joined().filter(marks.isMarked))
  }

  /// Asks a pack that no index names what it holds. Returns its id; nil when the object is no whole pack, or is gone.
  func adopt(_ object: ObjectID, _ remote: RemoteStore) throws(RepositoryError) -> ObjectID? {
    let size: UInt64
    do throws(ObjectError) {
      size = try session.objects.size(of: PackObject.name(object))
    } catch {
      if [.notFound, .damaged, .garbled].contains(error.kind) { return nil }
      throw RepositoryError(error, of: session.url)
    }
    do throws(StoreError) {
      let pack = try remote.store.index.takeOver(
        remote.packs.reader(of: RemotePacks.Pack(name: object, size: size)))
      return remote.packs.note(pack.id, remote.packs.pack(in: object, size: pack.size)) ? pack.id : nil
    } catch {
      // Somebody else may collect it, or it was changed. What it had is sent again.
      let kind = session.failures.reason(of: error)?.kind
      guard error.isDamage || kind == .damaged || kind == .garbled else {
        return try session.attempt { () throws(StoreError) in throw error }
      }
      return nil
    }
  }

  /// What an index says of a pack; nil when it is not there.
  func indexEntry(of pack: ObjectID, _ remote: RemoteStore) throws(RepositoryError) -> IndexRecord.Pack? {
    guard let stored = remote.packs[pack] else { return nil }
    let contents = try session.attempt { () throws(StoreError) in
      if let own = remote.packs.takeContents(of: pack) { return own }
      return try remote.store.index.contents(of: pack)
    }
    return IndexRecord.Pack(
      name: stored.name, id: pack, size: contents.size, salt: stored.salt, contents: contents.contents.encoded())
  }

  /// Keeps the list of steps that is pushed: the remote may lose it, and the timeline here goes on.
  func remember(steps: [UInt8]) throws(RepositoryError) {
    try folder.keep(steps: steps, name)
  }

  /// Lists of steps that this store can send again, by their ids: the one that it has pushed last, and that of now.
  func knownSteps() throws(RepositoryError) -> [ObjectID: [UInt8]] {
    var lists: [ObjectID: [UInt8]] = [:]
    if let timeline = PushedTimeline(try repository.readRefs().timeline) { lists[timeline.id] = timeline.bytes }
    if let pushed = try folder.steps(name) { lists[pushed.withUnsafeBytes { ObjectID(hashing: $0) }] = pushed }
    return lists
  }

  /// Keeps what was seen. `hasGiven`: whether snapshots were brought here.
  func remember(hasGiven: Bool = false) throws(RepositoryError) {
    entry.lastContact = repository.store.now
    if hasGiven { entry.hasGiven = true }
    let known = memory
    let bytes = try session.attempt { () throws(RemoteError) in try known.encoded() }
    try folder.keep(outlines: outlines.encoded(keeping: memory.indexes), name)
    try folder.keep(seen: bytes, name)
    try folder.keep(entry, name)
    if let opening = session.opening { try folder.keep(opening, name) }
  }
}
