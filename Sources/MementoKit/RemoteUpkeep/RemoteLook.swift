// A remote as a whole: all its names, marks and indexes, and what the names need.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore

/// One complete look at a remote, in the order that a collection needs: names, marks, indexes, packs.
struct RemoteLook {
  let view: RemoteView
  let remote: RemoteStore
  let look: CollectionLook
  /// The objects of each pack that have the size that they must have.
  private let objects: [ObjectID: [ObjectID]]

  /// With `view.toleratesDamage`, what can be read of the marks and indexes, and all names that were ever seen.
  init(_ view: RemoteView) throws(RepositoryError) {
    let remote = try view.store()
    let tolerates = view.toleratesDamage
    let known = tolerates ? view.table : NameTable()
    let session = view.session
    session.lookAnew()
    let listed = session.listed
    var outlines = view.outlines
    let look = try session.attempt { () throws(RemoteError) in
      try CollectionLook(listed, cache: &outlines, known: known, toleratesDamage: tolerates)
    }
    view.outlines = outlines
    guard look.refs.table.version.covers(view.table.version) else {
      throw RepositoryError(.remoteFailed, "\(session.url) does not list all records of names yet; try again")
    }
    remote.packs.see(look.packs.mapValues(\.size))
    try view.takeOver(look.indexes.current, remote)
    try session.attempt { () throws(StoreError) in _ = try remote.store.index.reconcile(again: true) }
    var objects: [ObjectID: [ObjectID]] = [:]
    for pack in view.outlines.packs(of: look.indexes.current) where RemoteLook.fault(of: pack, look, session) == nil {
      objects[pack.id, default: []].append(pack.name)
    }
    self.view = view
    self.remote = remote
    self.look = look
    self.objects = objects
  }

  /// Why the object of a pack that an index names cannot be read; nil when it is there with its size.
  private static func fault(of pack: IndexOutlines.Pack, _ look: CollectionLook, _ session: RemoteSession) -> String? {
    let name = PackObject.name(pack.name)
    guard let object = look.packs[pack.name] else { return "\(name) is missing" }
    guard session.form.storedSize(of: pack.size, as: name) == object.size else { return "\(name) has the wrong size" }
    return nil
  }

  /// Whether nobody needs a damaged record any more: newer ones say what it said.
  func isReplaced(_ record: ObjectName) -> Bool {
    if let dot = RefsRecord.dot(record) { return look.refs.isReplaced(dot) }
    if look.indexes.replaced[record] != nil { return true }
    return look.marks.damaged.contains { $0.name == record } && !look.marks.unclosed.contains { $0.name == record }
  }

  /// What is wrong with packs that indexes name, a line each. Packs that are marked may be gone.
  var packFaults: [String] {
    view.outlines.packs(of: look.indexes.current).filter { !look.marks.isMarked($0.name) }
      .compactMap { RemoteLook.fault(of: $0, look, view.session) }
  }

  /// The objects of these packs.
  var faultyPacks: Set<ObjectID> {
    Set(
      view.outlines.packs(of: look.indexes.current).filter { RemoteLook.fault(of: $0, look, view.session) != nil }
        .map(\.name))
  }

  /// Every snapshot that must stay readable, and every list of steps, which has snapshots of its own. `table`: the names
  /// that count. Throws when a list cannot be read.
  func roots(of table: NameTable) throws(RepositoryError) -> (snapshots: [ObjectID], steps: [ObjectID]) {
    var snapshots = RemoteLook.snapshots(of: table)
    let lists = RemoteLook.stepLists(of: table)
    for list in lists.keys.sorted() { snapshots.formUnion(try steps(list).steps.map(\.snapshot)) }
    return (snapshots.sorted(), lists.keys.sorted())
  }

  /// The snapshots that names and positions mean.
  static func snapshots(of table: NameTable) -> Set<ObjectID> {
    Set((Array(table.names.values.values.joined()) + Array(table.positions.values.values.joined())).map(\.snapshot))
  }

  /// The lists of steps that positions have, each with the machine that pushed it.
  static func stepLists(of table: NameTable) -> [ObjectID: String] {
    var lists: [ObjectID: String] = [:]
    for value in table.positions.values.values.joined() { if let steps = value.steps { lists[steps] = value.host } }
    return lists
  }

  /// Reads a list of steps.
  func steps(_ list: ObjectID) throws(RepositoryError) -> StepList {
    let bytes = try view.session.receive { () throws(StoreError) in try remote.store.readMeta(list) }
    return try view.session.attempt { () throws(RemoteError) in try StepList(bytes) }
  }

  /// The names that lead to each snapshot: `REMOTE/NAME`.
  func namesOfSnapshots() -> [ObjectID: [String]] {
    var names: [ObjectID: [String]] = [:]
    for shown in ShownNames(look.refs.table) { names[shown.snapshot, default: []].append("\(view.name)/\(shown.text)") }
    return names
  }

  /// All blobs that the names of `table` need. Throws when one of them cannot be found: what is needed is not known then.
  private func neededBlobs(_ table: NameTable, monitor: any Monitor) throws(RepositoryError) -> BlobSet {
    let roots = try roots(of: table)
    let source = LocalFirst(local: view.repository.store, remote: remote.store)
    let index = remote.store.index
    return try view.session.receive { () throws(StoreError) in
      var walker = SnapshotWalker(source, monitor: monitor, visitor: NeededThere(index: index))
      for snapshot in roots.snapshots {
        let findings = try walker.walk(snapshot)
        guard findings.isWhole else {
          throw .damaged(file: "snapshot \(snapshot.short)", reason: "a part of it is missing or damaged")
        }
      }
      var blobs = walker.release()
      for list in roots.steps { _ = blobs.insert(list) }
      return blobs
    }
  }

  /// What must stay for the names of `table`. Throws when a blob is in no pack.
  func needs(of table: NameTable, monitor: any Monitor) throws(RepositoryError) -> RemoteNeeds {
    try RemoteNeeds(self, try neededBlobs(table, monitor: monitor))
  }

  /// The same, as far as the names can be followed: what cannot be read hides what is below it.
  func needsAsFarAsKnown(monitor: any Monitor) throws(RepositoryError) -> RemoteNeeds {
    var snapshots = RemoteLook.snapshots(of: look.refs.table)
    let lists = RemoteLook.stepLists(of: look.refs.table).keys.sorted()
    for list in lists {
      do throws(RepositoryError) {
        snapshots.formUnion(try steps(list).steps.map(\.snapshot))
      } catch {
        guard error.isDamage else { throw error }
      }
    }
    let roots = snapshots.sorted()
    let source = LocalFirst(local: view.repository.store, remote: remote.store)
    let blobs = try view.session.receive { () throws(StoreError) in
      var walker = SnapshotWalker(source, monitor: monitor, visitor: FoundThere())
      for snapshot in roots { _ = try walker.walk(snapshot) }
      var blobs = walker.release()
      for list in lists { _ = blobs.insert(list) }
      return blobs
    }
    return try RemoteNeeds(self, blobs, toleratesMissing: true)
  }

  /// The objects of a pack that can be read.
  func objects(of pack: ObjectID) -> [ObjectID] { objects[pack] ?? [] }
}

/// Throws at the first thing that is missing. The tables of the indexes are believed: each was checked against the name of
/// its pack.
private struct NeededThere: SnapshotVisitor {
  let index: Index

  func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
    try index.presence(ofKnown: chunk, length: length)
  }

  func meet(_ fault: SnapshotFault) throws(StoreError) {
    throw fault.error
  }
}

/// Goes on whatever is damaged or missing. What could not be looked at may be there, and ends the walk.
private struct FoundThere: SnapshotVisitor {
  func presence(of chunk: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence { .there }

  func meet(_ fault: SnapshotFault) throws(StoreError) {
    if case .unreadable(let error) = fault, error.hidesContent { throw error }
  }
}

extension Index {
  /// Whether the tables list a blob with this length. No pack is asked.
  func presence(ofKnown id: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
    let places = try knownPlaces(of: id)
    if places.isEmpty { return .missing }
    return places.contains { UInt64($0.length) == length } ? .there : .otherLength
  }
}

/// What describes snapshots is read here where it is here: an id says what the bytes are, wherever they are from.
private struct LocalFirst: BlobSource {
  let local: Store
  let remote: Store

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    do throws(StoreError) {
      if try local.index.contains(id) { return try local.readMeta(id) }
    } catch {
      // What cannot be read here is read there.
    }
    return try remote.readMeta(id)
  }
}
