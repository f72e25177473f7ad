// Checks a remote: every record, every state down to its chunks, and on request the content of packs.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoSeal
internal import MementoStore
internal import MementoSystem

struct RemoteVerification {
  let view: RemoteView
  let monitor: any Monitor
  private(set) var records = 0
  private(set) var report = VerifyReport(packs: 0, blobs: 0, snapshots: 0, bytesRead: 0, damage: [])
  /// Blobs of which the remote has no copy that can be read.
  private var bad: Set<ObjectID> = []
  /// Objects of packs of which something could not be read.
  private(set) var damagedPacks: Set<ObjectID> = []
  private(set) var look: RemoteLook?
  /// Damaged records that newer ones replace. A collection removes them.
  private(set) var replaced = 0
  private(set) var damagedRecords: [(name: ObjectName, message: String)] = []

  init(_ view: RemoteView, monitor: any Monitor) {
    self.view = view
    self.monitor = monitor
  }

  private var session: RemoteSession { view.session }

  mutating func run(_ options: VerifyOptions) throws(RepositoryError) {
    for record in view.lost { note(RemoteView.loss(of: record, view.name).message) }
    try readMarker()
    try readKeys()
    try readRecords()
    view.toleratesDamage = true
    let look: RemoteLook
    do throws(RepositoryError) {
      look = try RemoteLook(view)
    } catch {
      // A record without which nothing can be followed, unless it has become so meanwhile.
      guard error.isDamage, !damagedRecords.isEmpty else { throw error }
      for record in damagedRecords { note(record.message) }
      return
    }
    self.look = look
    for record in damagedRecords {
      if look.isReplaced(record.name) { replaced += 1 } else { note(record.message) }
    }
    for fault in look.packFaults { note(fault) }
    try readPacks(look, options)
    try follow(look)
    try checkConnection()
  }

  private mutating func note(_ message: String) {
    let found = VerifyReport.Damage(message: message, states: [], path: nil)
    if report.damage.last != found { report.damage.append(found) }
  }

  /// What looks like damage may be the end of the connection.
  private func checkConnection() throws(RepositoryError) {
    guard let failure = session.failures.connection else { return }
    let said = failure.kind == .unreachable ? session.connector.lastWords() : nil
    throw RepositoryError(failure, of: session.url, said: said)
  }

  /// The marker of the repository, and that it is the one that counts: whoever has never been here asks for no other.
  private mutating func readMarker() throws(RepositoryError) {
    let listed = session.listed
    let marker = session.marker
    do throws(RepositoryError) {
      if try RemoteMarkerLook(listed, session.url, session.connector).read(marker.name) == nil {
        note("\(marker.name) is missing")
      }
      let counting = try session.attempt { () throws(RemoteError) in try RepositoryFounding.marker(listed) }
      if let counting, counting != marker.name { note("\(RepositoryFounding.prefix)founder leads to \(counting)") }
    } catch {
      guard error.isDamage else { throw error }
      note(error.message)
    }
  }

  /// The keys that nobody has used are read, too: they are missed on the day when the others are lost.
  private mutating func readKeys() throws(RepositoryError) {
    guard session.marker.isSealed else { return }
    let ring = KeyRing(session.listed, of: session.marker.id)
    do throws(RepositoryError) {
      let slots = try session.attempt { () throws(ObjectError) in try ring.listing() }
      for slot in slots.unreadable where slot.reason.kind == .damaged { note("\(slot.reason)") }
    } catch {
      guard error.isDamage else { throw error }
      note(error.message)
    }
  }

  private mutating func readRecords() throws(RepositoryError) {
    let listed = session.listed
    for prefix in RecordReading.prefixes {
      let page = try session.attempt { () throws(ObjectError) in try listed.list(prefix, page: nil) }
      for object in page.objects {
        if monitor.isCancelled { throw .cancelled }
        do throws(RepositoryError) {
          let isThere = try session.attempt { () throws(RemoteError) in
            try RecordReading.check(object, in: listed, known: try view.outlines.outline(of: object.name))
          }
          if isThere { records += 1 }
        } catch {
          guard error.isDamage else { throw error }
          records += 1
          damagedRecords.append((object.name, error.message))
        }
      }
    }
  }

  // MARK: Packs

  private mutating func readPacks(_ look: RemoteLook, _ options: VerifyOptions) throws(RepositoryError) {
    let store = look.remote.store
    let packs = try session.attempt { () throws(StoreError) in try look.remote.packs.list(withSizes: true) }
    report.packs = packs.count
    if options.readPercent <= 0 {
      return
    }
    var record = VerificationRecord(of: store)
    let begun = repositoryTime
    let plan = ReadingPlan(
      packs.map { ($0.id, $0.size ?? 0) }, record, percent: options.readPercent, before: options.notReadSince?.timestamp
    )
    var data = DataCheck(store, monitor: monitor)
    for pack in packs.map(\.id).sorted() {
      if monitor.isCancelled { throw .cancelled }
      guard let part = plan.parts[pack] else { continue }
      if try !hasHeader(pack, look) { continue }
      do throws(StoreError) {
        data.add(try store.index.contents(of: pack), part)
      } catch {
        try checkConnection()
        hurt(pack, error, look)
        continue
      }
      if data.isFull { try take(try data.run(), look, &record, begun) }
    }
    try take(try data.run(), look, &record, begun)
    record.close(present: Set(packs.map(\.id)))
    record.keep(in: store)
    report.lastVerified = record.full.map { SnapshotTime($0) }
  }

  /// Whether the header of a sealed pack can be read. An index says what it has, so nobody reads it until the index is lost.
  private mutating func hasHeader(_ pack: ObjectID, _ look: RemoteLook) throws(RepositoryError) -> Bool {
    guard session.marker.isSealed, let object = look.remote.packs.object(of: pack) else { return true }
    do throws(ObjectError) {
      _ = try session.objects.size(of: PackObject.name(object))
      return true
    } catch {
      guard [.damaged, .garbled, .notFound].contains(error.kind) else {
        throw RepositoryError(error, of: session.url)
      }
      hurt(pack, .damaged(file: "packs", reason: "its header cannot be read"), look)
      return false
    }
  }

  private var repositoryTime: Timestamp { view.repository.store.now }

  private mutating func take(
    _ findings: [DataCheck.Finding], _ look: RemoteLook, _ record: inout VerificationRecord, _ begun: Timestamp
  ) throws(RepositoryError) {
    try checkConnection()
    for finding in findings {
      for error in finding.errors { hurt(finding.pack, error, look) }
      bad.formUnion(finding.bad)
      report.bytesRead += finding.bytesRead
      record.note(
        finding.pack, from: finding.part.from, rest: finding.rest, at: begun, isHurt: !finding.errors.isEmpty)
    }
  }

  private mutating func hurt(_ pack: ObjectID, _ error: StoreError, _ look: RemoteLook) {
    guard let object = look.remote.packs.object(of: pack) else { return }
    damagedPacks.insert(object)
    // A collection is going to remove it. What a state needs of it is missed below.
    if look.look.marks.isMarked(object) { return }
    // What the system says of an object that was changed says nothing.
    var reason = ""
    if case .damaged(_, let words) = error { reason = ": \(words)" }
    note("\(PackObject.name(object)) is damaged\(reason)")
  }

  // MARK: States

  private mutating func follow(_ look: RemoteLook) throws(RepositoryError) {
    let store = look.remote.store
    let table = look.look.refs.table
    var snapshots = RemoteLook.snapshots(of: table)
    for (list, host) in RemoteLook.stepLists(of: table).sorted(by: { $0.key < $1.key }) {
      do throws(RepositoryError) {
        snapshots.formUnion(try look.steps(list).steps.map(\.snapshot))
      } catch {
        guard error.isDamage else { throw error }
        note("the steps that \(host) has pushed cannot be read (\(list.short))")
      }
    }
    let roots = snapshots.sorted()
    var walker = SnapshotCheck(store, monitor: monitor, bad: bad) { (id, length) throws(StoreError) in
      try store.index.presence(ofKnown: id, length: length)
    }
    report.snapshots = roots.count
    let names = look.namesOfSnapshots()
    let found = try session.attempt { () throws(StoreError) in try SnapshotDamage.find(in: roots, names, &walker) }
    for var damage in found {
      damage.message = try words(damage.message, look)
      report.damage.append(damage)
    }
  }

  /// A message as it is said of the remote. A pack is an object there, and what the system says of one that was changed says
  /// nothing.
  private func words(_ message: String, _ look: RemoteLook) throws(RepositoryError) -> String {
    let unreadable = "cannot read .memento/packs/"
    guard message.hasPrefix(unreadable) else { return RepositoryError.elsewhere(message) }
    let digits = message.dropFirst(unreadable.count).prefix { $0 != "…" }
    let packs = try session.attempt { () throws(StoreError) in try look.remote.packs.list(withSizes: false) }
    guard let pack = packs.first(where: { $0.id.short == digits }), let object = look.remote.packs.object(of: pack.id)
    else { return message }
    return "\(PackObject.name(object)) cannot be read"
  }
}
