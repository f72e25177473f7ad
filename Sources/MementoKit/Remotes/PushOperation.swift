// Brings states to a remote: packs first, then an index of them, then the record that moves the names.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct PushOperation {
  let repository: Repository
  let options: PushOptions
  let access: RemoteAccess
  let monitor: any Monitor

  /// What was sent of blobs.
  private struct Sent {
    var blobs = 0
    var rawBytes: UInt64 = 0
    var storedBytes: UInt64 = 0
    var packs: Set<ObjectID> = []
  }

  func run() throws(RepositoryError) -> PushSummary {
    let name = try RemoteList(repository: repository).chosen(options.remote)
    let lock = try RemoteLock(repository, name, monitor)
    defer { _ = lock }
    monitor.begin(.pushing)
    let view = try RemoteView(repository, name, access, monitor: monitor)
    return try push(to: view, holding: try repository.lockForReading(monitor))
  }

  /// `lock`: nobody removes packs meanwhile.
  private func push(
    to view: RemoteView, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> PushSummary {
    let refs = try repository.readRefs()
    let local = try chosenNames(refs)
    let records = RecordReader(repository)
    let pushed = try PushedNames(
      local: local, isExplicit: !options.names.isEmpty, bringsBack: !options.names.isEmpty,
      bases: view.memory.bases, table: view.table
    ) { (id) throws(RepositoryError) in SnapshotNote(try records.record(id)) }
    var change = pushed.change
    change.position = try position(refs, records, view)
    var sent = Sent()
    if !change.isEmpty {
      var roots = Set(change.moves.values.map(\.snapshot))
      if let position = change.position { roots.insert(position.snapshot) }
      sent = try send(roots.sorted(), to: view)
    }
    var dot: Dot?
    if !options.isDryRun {
      if !change.isEmpty { dot = try commit(change, sent.packs, to: view) }
      view.memory.bases = pushed.bases(after: view.memory.bases, table: view.table, dot: dot)
      try view.remember()
    }
    let shown = ShownNames(view.table)
    return PushSummary(
      remote: view.name, moves: pushed.names.compactMap { move($0, shown, view.tableBefore) },
      unchanged: pushed.names.count { !$0.isChange }, blobs: sent.blobs, rawBytes: sent.rawBytes,
      sentBytes: sent.storedBytes, packs: sent.packs.count, isCommitted: !options.isDryRun)
  }

  private func chosenNames(_ refs: Refs) throws(RepositoryError) -> [RefName: ObjectID] {
    let all = try localNames(refs)
    if options.names.isEmpty { return all }
    var chosen: [RefName: ObjectID] = [:]
    for text in options.names {
      guard let name = RefName(text), let snapshot = all[name] else {
        throw RepositoryError(
          .noSuchState, "there is no state \"\(text)\"", reason: .unknownState, revision: Revision(text))
      }
      chosen[name] = snapshot
    }
    return chosen
  }

  /// Where the folder is, for clones. Nil when the remote knows that already, and when only some names are pushed.
  private func position(
    _ refs: Refs, _ records: RecordReader, _ view: RemoteView
  ) throws(RepositoryError) -> TableChange.Move? {
    guard options.names.isEmpty, let current = refs.timeline.current?.snapshot, let writer = WriterID(hex: view.entry.writer)
    else { return nil }
    // A position that no name means comes along with --all alone: nothing else would say that it was pushed.
    let isNamed = !refs.states.names(of: current).isEmpty
    guard isNamed || options.includesTimeline else { return nil }
    if view.table.positions[writer].contains(where: { $0.snapshot == current }) { return nil }
    return TableChange.Move(snapshot: current, note: SnapshotNote(try records.record(current)))
  }

  // MARK: Sending

  private func send(_ roots: [ObjectID], to view: RemoteView) throws(RepositoryError) -> Sent {
    let needed = try translating { () throws(StoreError) in
      try NeededForPush.blobs(of: roots, in: repository.store, monitor: monitor)
    }
    let remote = try view.store()
    let monitor = monitor
    return try view.session.attempt { () throws(StoreError) in
      let transfer = BlobTransfer(
        from: repository.store, to: remote.store, isCancelled: { monitor.isCancelled },
        moved: { monitor.advance(files: 0, bytes: $0) })
      let plan = try transfer.plan(needed, asking: false)
      var sent = Sent(blobs: plan.blobCount, rawBytes: plan.rawBytes, storedBytes: plan.storedBytes)
      if !options.isDryRun { sent.packs = try transfer.run(plan) }
      return sent
    }
  }

  /// Makes the record that moves the names. Everything that it needs is there before.
  private func commit(
    _ change: TableChange, _ packs: Set<ObjectID>, to view: RemoteView
  ) throws(RepositoryError) -> Dot {
    guard let writer = WriterID(hex: view.entry.writer) else {
      throw RepositoryError(.damaged, "remotes/\(view.name)/remote names no writer", reason: .damagedRemote)
    }
    try putIndex(packs, view)
    let dot = Dot(writer: writer, number: view.table.version[writer] + 1)
    let time = try view.now()
    var table = view.table
    table.apply(change, as: dot, host: access.host, time: time)
    let record = RefsRecord(dot: dot, host: access.host, time: time, table: table)
    try view.session.attempt { () throws(RemoteError) in
      let bytes = try record.encoded()
      do throws(ObjectError) {
        try view.session.objects.put(MemoryObject(bytes: bytes), as: RefsRecord.name(dot))
      } catch {
        throw .storage(error)
      }
    }
    view.memory.table = table
    return dot
  }

  /// Says where the new blobs are, and those of packs that an interrupted push has left.
  private func putIndex(_ packs: Set<ObjectID>, _ view: RemoteView) throws(RepositoryError) {
    let remote = try view.store()
    let unlisted = try view.unlistedPacks(besides: packs)
    if packs.isEmpty && unlisted.isEmpty { return }
    var entries: [IndexRecord.Pack] = []
    for pack in packs.union(unlisted).sorted() {
      let contents = try view.session.attempt { () throws(StoreError) in try remote.store.index.contents(of: pack) }
      entries.append(IndexRecord.Pack(id: pack, size: contents.size, contents: contents.contents.encoded()))
    }
    var generator = SystemRandomNumberGenerator()
    let name = IndexRecord.name(using: &generator)
    try view.session.attempt { () throws(RemoteError) in
      let bytes = try IndexRecord(packs: entries).encoded()
      do throws(ObjectError) {
        try view.session.objects.put(MemoryObject(bytes: bytes), as: name)
      } catch {
        throw .storage(error)
      }
    }
    view.memory.indexes.insert(name)
  }

  private func move(_ pushed: PushedName, _ shown: ShownNames, _ before: NameTable) -> RemoteMove? {
    let others = shown.all(of: pushed.name)
    let otherName = others.first { $0.snapshot != pushed.snapshot }?.text
    let was = before[pushed.name].first?.snapshot
    switch pushed.outcome {
    case .new, .moved, .settled:
      let kind: RemoteMove.Kind =
        !pushed.others.isEmpty ? .conflict : pushed.outcome == .new ? .created : .moved
      return RemoteMove(
        kind: kind, name: pushed.name.text, snapshot: SnapshotID(pushed.snapshot), before: was.map { SnapshotID($0) },
        otherName: pushed.others.isEmpty ? nil : otherName)
    case .sameAmongOthers:
      return RemoteMove(
        kind: .conflict, name: pushed.name.text, snapshot: SnapshotID(pushed.snapshot), otherName: otherName)
    case .deletedThere:
      return RemoteMove(kind: .deletedThere, name: pushed.name.text, snapshot: SnapshotID(pushed.snapshot))
    case .same, .movedThere:
      return nil
    }
  }
}
