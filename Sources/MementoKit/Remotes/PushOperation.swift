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
    var foreseen: (roots: [ObjectID], needed: BlobSet)?
    return try repository.reaching(name, .pushing, access, monitor, meanwhile: { foreseen = foresee(name) }) {
      (view) throws(RepositoryError) in
      try push(to: view, foreseen, holding: try repository.lockForReading(monitor))
    }
  }

  /// What a push changes.
  private struct Decision {
    let pushed: PushedNames
    var change: TableChange
    let timeline: PushedTimeline?

    /// The snapshots that the remote needs for it, sorted.
    var roots: [ObjectID] {
      var roots = Set(change.moves.values.map(\.snapshot))
      if let position = change.position { roots.insert(position.snapshot) }
      if let timeline { roots.formUnion(timeline.snapshots) }
      return roots.sorted()
    }
  }

  /// What the remote needs if it is as this store has last seen it. Nil when that cannot be told: what is wrong is met again
  /// when the remote is reached.
  private func foresee(_ name: String) -> (roots: [ObjectID], needed: BlobSet)? {
    do throws(RepositoryError) {
      let folder = RemoteFolder(repository)
      let decision = try decide(try folder.memory(of: name, try folder.entry(name)))
      if decision.change.isEmpty { return nil }
      return (decision.roots, try PushTransfer.needed(decision.roots, in: repository, monitor))
    } catch {
      return nil
    }
  }

  /// `memory`: what is known of the remote, with what it says now.
  private func decide(_ memory: RefsMark) throws(RepositoryError) -> Decision {
    let refs = try repository.readRefs()
    let local = try chosenNames(refs)
    let records = RecordReader(repository)
    // Who spells out a name means it, also where it was deleted there. A pattern only means what it finds.
    let isExplicit =
      !options.names.isEmpty && options.names.allSatisfy { RefName($0).map { local[$0] != nil } ?? false }
    let pushed = try PushedNames(
      local: local, isExplicit: isExplicit, bringsBack: isExplicit, bases: memory.bases, table: memory.table
    ) { (id) throws(RepositoryError) in SnapshotNote(try records.record(id)) }
    let timeline = options.includesTimeline ? PushedTimeline(refs.timeline) : nil
    var change = pushed.change
    change.position = try position(refs, local, timeline, records, memory)
    return Decision(pushed: pushed, change: change, timeline: timeline)
  }

  /// `lock`: nobody removes packs meanwhile.
  private func push(
    to view: RemoteView, _ foreseen: (roots: [ObjectID], needed: BlobSet)?, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> PushSummary {
    let decision = try decide(view.memory)
    let pushed = decision.pushed
    let sent = try send(
      decision, foreseen, to: view,
      bases: { dot in
        pushed.bases(after: view.memory.bases, table: view.table, dot: dot)
      })
    let shown = ShownNames(view.table)
    return PushSummary(
      remote: view.name, moves: pushed.names.compactMap { move($0, shown, view.tableBefore) },
      unchanged: pushed.names.count { !$0.isChange }, blobs: sent.blobs, rawBytes: sent.rawBytes,
      sentBytes: sent.storedBytes, packs: sent.packs, movesPosition: decision.change.position != nil,
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
    _ memory: RefsMark
  ) throws(RepositoryError) -> TableChange.Move? {
    guard let current = refs.timeline.current?.snapshot else { return nil }
    // A position that no pushed name means comes along where it was asked for: nothing else would say that it was pushed.
    guard timeline != nil || options.includesPosition || local.values.contains(current) else { return nil }
    let known = memory.table.positions[memory.writer]
    // Steps that were pushed once stay there when only the position is pushed.
    let steps = timeline?.id ?? known.compactMap(\.steps).first
    if known.contains(where: { $0.snapshot == current && $0.steps == steps }) { return nil }
    return TableChange.Move(snapshot: current, note: SnapshotNote(try records.record(current)), steps: steps)
  }

  // MARK: Sending

  /// Sends what the change needs, and commits it.
  private func send(
    _ decision: Decision, _ foreseen: (roots: [ObjectID], needed: BlobSet)?, to view: RemoteView,
    bases: (Dot?) -> [RefName: NameBase]
  ) throws(RepositoryError) -> PushTransfer.Sent {
    let (change, timeline) = (decision.change, decision.timeline)
    if change.isEmpty {
      if !options.isDryRun {
        view.memory.bases = bases(nil)
        try view.remember()
      }
      return PushTransfer.Sent()
    }
    let own = timeline.map { [$0.id: $0.bytes] } ?? [:]
    let roots = decision.roots
    let needed =
      if let foreseen, foreseen.roots == roots { foreseen.needed } else {
        try PushTransfer.needed(roots, in: repository, monitor)
      }
    let transfer = try PushTransfer(needed, own, to: view, monitor: monitor)
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
