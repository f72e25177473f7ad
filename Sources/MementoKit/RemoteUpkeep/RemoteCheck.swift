// Verifies a remote, and sends it what it has lost and this store has.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct RemoteCheck {
  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor

  func run(
    _ remote: String?, _ options: VerifyOptions, repairs: Bool
  ) throws(RepositoryError) -> RemoteVerifyReport {
    let name = try RemoteList(repository: repository).chosen(remote)
    var found = try verify(name, options) { (view, check) throws(RepositoryError) in
      if !repairs || check.report.damage.isEmpty { return nil }
      return try repair(view, check)
    }
    if repairs, let sent = found.sent {
      // With another look at everything.
      found = try verify(name, options) { (_, _) throws(RepositoryError) in sent }
    }
    return found
  }

  private func verify(
    _ name: String, _ options: VerifyOptions,
    _ then: (RemoteView, RemoteVerification) throws(RepositoryError) -> RemoteRepair?
  ) throws(RepositoryError) -> RemoteVerifyReport {
    try repository.reaching(name, .verifying, access, monitor, toleratesLoss: true) {
      (view) throws(RepositoryError) in
      var check = RemoteVerification(view, monitor: monitor)
      try check.run(options)
      let sent = try then(view, check)
      // What a remote says that was rolled back is not taken for what it has said, unless that was repaired.
      if view.lost.isEmpty || sent != nil { try view.remember() }
      return RemoteVerifyReport(
        remote: name, records: check.records, recordsReplaced: check.replaced, report: check.report, sent: sent)
    }
  }

  /// Puts records in the place of damaged ones, and sends as a push does: packs, an index, and another look for marks. No
  /// name changes. The packs that are hurt are marked, so that nobody relies on them, and a collection removes those that
  /// nobody needs. Nil when nothing can be followed.
  private func repair(_ view: RemoteView, _ check: RemoteVerification) throws(RepositoryError) -> RemoteRepair? {
    guard let look = check.look else { return nil }
    return try repair(view, look, check, holding: try repository.lockForReading(monitor))
  }

  private func repair(
    _ view: RemoteView, _ look: RemoteLook, _ check: RemoteVerification, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> RemoteRepair {
    let records = try RemoteRecordRepair(
      view: view, host: access.host, monitor: monitor, damaged: Set(check.damagedRecords.map(\.name))
    ).run(look)
    // Marked first: then a push, as this is one, neither relies on them nor takes them for packs of a push before it.
    try mark(check.damagedPacks.union(look.faultyPacks), view)
    let (roots, lists) = try known(look)
    let needed = try PushTransfer.needed(roots, in: repository, monitor)
    let transfer = try PushTransfer(needed, lists, to: view, monitor: monitor)
    var pusher = try view.pusher(from: access.host)
    try transfer.run(&pusher)
    try transfer.replaceLost(&pusher)
    return RemoteRepair(
      damageBefore: check.report.damage.count, records: records, blobs: transfer.sent.blobs, packs: transfer.sent.packs,
      bytes: transfer.sent.storedBytes)
  }

  /// What names and positions of the remote need and this store has: snapshots as a whole, also those of lists of steps,
  /// and the lists that it has pushed.
  private func known(_ look: RemoteLook) throws(RepositoryError) -> (roots: [ObjectID], lists: [ObjectID: [UInt8]]) {
    let table = look.look.refs.table
    var snapshots = RemoteLook.snapshots(of: table)
    let own = try look.view.knownSteps()
    var lists: [ObjectID: [UInt8]] = [:]
    for list in RemoteLook.stepLists(of: table).keys.sorted() {
      do throws(RepositoryError) {
        if let bytes = own[list] {
          lists[list] = bytes
          let steps = try look.view.session.attempt { () throws(RemoteError) in try StepList(bytes) }
          snapshots.formUnion(steps.steps.map(\.snapshot))
        } else {
          snapshots.formUnion(try look.steps(list).steps.map(\.snapshot))
        }
      } catch {
        // Who has pushed it sends it again.
        guard error.isDamage else { throw error }
      }
    }
    return (try wholeHere(snapshots.sorted()), lists)
  }

  /// Those of some snapshots that this store has as a whole.
  private func wholeHere(_ snapshots: [ObjectID]) throws(RepositoryError) -> [ObjectID] {
    var whole: [ObjectID] = []
    for snapshot in snapshots {
      do throws(StoreError) {
        _ = try NeededForPush.blobs(of: [snapshot], in: repository.store, monitor: monitor)
        whole.append(snapshot)
      } catch {
        if case .cancelled = error { throw .cancelled }
        // It cannot help then.
      }
    }
    return whole
  }

  private func mark(_ packs: Set<ObjectID>, _ view: RemoteView) throws(RepositoryError) {
    if packs.isEmpty { return }
    var generator = SystemRandomNumberGenerator()
    let name = MarkRecord.name(using: &generator)
    let objects = view.session.objects
    try view.session.attempt { () throws(ObjectError) in
      try objects.put(ObjectBytes(MarkRecord(packs: Array(packs)).encoded()), as: name)
    }
  }
}
