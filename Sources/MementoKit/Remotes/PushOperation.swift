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

  func run() throws(RepositoryError) -> PushSummary {
    let name = try RemoteList(repository: repository).chosen(options.remote)
    return try repository.reaching(name, .pushing, access, monitor) { (view) throws(RepositoryError) in
      try push(to: view, holding: try repository.lockForReading(monitor))
    }
  }

  /// `lock`: nobody removes packs meanwhile.
  private func push(
    to view: RemoteView, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> PushSummary {
    let refs = try repository.readRefs()
    let local = try chosenNames(refs)
    let records = RecordReader(repository)
    // Who spells out a name means it, also where it was deleted there. A pattern only means what it finds.
    let isExplicit =
      !options.names.isEmpty && options.names.allSatisfy { RefName($0).map { local[$0] != nil } ?? false }
    let pushed = try PushedNames(
      local: local, isExplicit: isExplicit, bringsBack: isExplicit,
      bases: view.memory.bases, table: view.table
    ) { (id) throws(RepositoryError) in SnapshotNote(try records.record(id)) }
    var change = pushed.change
    let timeline = options.includesTimeline ? PushedTimeline(refs.timeline) : nil
    change.position = try position(refs, local, timeline, records, view)
    let sent = try send(
      change, timeline, to: view,
      bases: { dot in
        pushed.bases(after: view.memory.bases, table: view.table, dot: dot)
      })
    let shown = ShownNames(view.table)
    return PushSummary(
      remote: view.name, moves: pushed.names.compactMap { move($0, shown, view.tableBefore) },
      unchanged: pushed.names.count { !$0.isChange }, blobs: sent.blobs, rawBytes: sent.rawBytes,
      sentBytes: sent.storedBytes, packs: sent.packs, movesPosition: change.position != nil,
      isCommitted: !options.isDryRun)
  }

  private func chosenNames(_ refs: Refs) throws(RepositoryError) -> [RefName: ObjectID] {
    let all = try RefName.states(of: refs)
    if options.names.isEmpty { return all }
    let chosen = try RefName.chosen(options.names, of: all.keys, place: "there is")
    return all.filter { chosen.contains($0.key) }
  }

  /// Where the folder is, for clones. Nil when the remote knows that already.
  private func position(
    _ refs: Refs, _ local: [RefName: ObjectID], _ timeline: PushedTimeline?, _ records: RecordReader,
    _ view: RemoteView
  ) throws(RepositoryError) -> TableChange.Move? {
    guard let current = refs.timeline.current?.snapshot, let writer = WriterID(hex: view.entry.writer) else {
      return nil
    }
    // A position that no pushed name means comes along where it was asked for: nothing else would say that it was pushed.
    guard timeline != nil || options.includesPosition || local.values.contains(current) else { return nil }
    let known = view.table.positions[writer]
    // Steps that were pushed once stay there when only the position is pushed.
    let steps = timeline?.id ?? known.compactMap(\.steps).first
    if known.contains(where: { $0.snapshot == current && $0.steps == steps }) { return nil }
    return TableChange.Move(snapshot: current, note: SnapshotNote(try records.record(current)), steps: steps)
  }

  // MARK: Sending

  /// Sends what the change needs, and commits it.
  private func send(
    _ change: TableChange, _ timeline: PushedTimeline?, to view: RemoteView, bases: (Dot?) -> [RefName: NameBase]
  ) throws(RepositoryError) -> PushTransfer.Sent {
    if change.isEmpty {
      if !options.isDryRun {
        view.memory.bases = bases(nil)
        try view.remember()
      }
      return PushTransfer.Sent()
    }
    var roots = Set(change.moves.values.map(\.snapshot))
    if let position = change.position { roots.insert(position.snapshot) }
    var own: [ObjectID: [UInt8]] = [:]
    if let timeline {
      roots.formUnion(timeline.snapshots)
      own[timeline.id] = timeline.bytes
    }
    let transfer = try PushTransfer(roots.sorted(), own, to: view, monitor: monitor)
    if options.isDryRun {
      try transfer.measure()
      return transfer.sent
    }
    var pusher = try view.pusher(from: access.host)
    try transfer.run(&pusher)
    try transfer.replaceLost(&pusher)
    if let timeline { try view.remember(steps: timeline.bytes) }
    let dot = try commit(change, &pusher, view)
    view.memory.table = pusher.table
    view.memory.heads = [dot]
    view.memory.bases = bases(dot)
    // What is known now is kept even if the last look fails: the record is there.
    try view.remember()
    try transfer.replaceLost(&pusher)
    try view.remember()
    return transfer.sent
  }

  private func commit(
    _ change: TableChange, _ pusher: inout Pusher, _ view: RemoteView
  ) throws(RepositoryError) -> Dot {
    var outcome = Result<RefsRecord?, RemoteError>.success(nil)
    do throws(RemoteError) { outcome = .success(try pusher.commit(change)) } catch { outcome = .failure(error) }
    let result = outcome
    let record = try view.session.attempt { () throws(RemoteError) in try result.get() }
    guard let record else { throw RepositoryError(.remoteFailed, "nothing was committed to \(view.session.url)") }
    return record.dot
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
