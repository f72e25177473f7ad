// Checks the whole store: first the packs, then all snapshots that are kept. What a pack holds is read from the pack;
// the index is compared with it and not trusted.

internal import MementoStore
internal import MementoSystem

struct StoreCheck {
  private let repository: Repository
  private let monitor: any Monitor
  private(set) var report = VerifyReport(packs: 0, blobs: 0, snapshots: 0, bytesRead: 0, damage: [])
  /// Packs with at least one part that cannot be read correctly, among the parts that were read.
  private(set) var damagedPacks: Set<ObjectID> = []
  /// Packs whose parity is missing or damaged, in a store that keeps parity.
  private(set) var packsWithoutParity: [ObjectID] = []
  /// Packs of which something is damaged and was read through their parity.
  private(set) var healedPacks: Set<ObjectID> = []
  private var view = PackView()
  /// What is read of the packs, and when each of them was read.
  private var plan = ReadingPlan()
  private var record = VerificationRecord()
  private var data: DataCheck
  private let begun: Timestamp
  /// Whether some packs cannot tell what they hold. Then only the index may know it.
  private var hasUnreadPacks = false
  /// Blobs of which no pack holds an intact copy.
  private var bad: Set<ObjectID> = []

  private var store: Store { repository.store }

  init(_ repository: Repository, monitor: any Monitor) {
    self.repository = repository
    self.monitor = monitor
    data = DataCheck(repository.store, monitor: monitor)
    begun = repository.store.now
  }

  /// Blobs are read and compared with their ids as far as the options say.
  mutating func run(_ options: VerifyOptions) throws(RepositoryError) {
    let refs = try repository.readRefs()
    monitor.begin(.verifying)
    let packs = try translating { () throws(StoreError) in
      try store.index.reconcile(again: true)
      return try store.index.presentPacks().sorted()
    }
    record = VerificationRecord(of: store)
    if options.readPercent > 0 { try plan(options) }
    if options.readsAll { monitor.expect(bytes: store.index.packBytes) }
    for id in packs { try check(pack: id, readData: options.readsAll) }
    try readData()
    if options.readPercent > 0 {
      record.close(present: Set(packs))
      record.keep(in: store)
    }
    report.lastVerified = record.full.map { SnapshotTime($0) }
    try translating { () throws(StoreError) in try view.seal() }
    compareIndex()
    try readRules()
    try follow(refs)
    let present = Set(packs)
    for case .pack(let id) in store.healed.all where present.contains(id) { healedPacks.insert(id) }
    report.healed = store.healed.all.map(\.path).sorted()
    report.packsWithoutParity = packsWithoutParity.count
  }

  private mutating func check(pack id: ObjectID, readData: Bool) throws(RepositoryError) {
    if monitor.isCancelled { throw .cancelled }
    report.packs += 1
    let pack: PackContents
    do throws(StoreError) {
      pack = try store.index.contents(of: id)
    } catch {
      // The index may still know which blobs the pack holds. The pack itself no longer tells.
      hasUnreadPacks = true
      note(error, in: id)
      return
    }
    view.add(pack)
    report.blobs += pack.contents.blobs.count
    if let part = plan.parts[id] {
      data.add(pack, part)
      if data.isFull { try self.readData() }
    }
    try checkParity(of: pack, readData: readData)
  }

  private mutating func checkParity(of pack: PackContents, readData: Bool) throws(RepositoryError) {
    guard store.config.parity != .none, let parity = store.packs.parity else { return }
    let found = try translating { () throws(StoreError) in
      try parity.check(pack.id, size: pack.size, readingAll: readData) { [monitor] in monitor.isCancelled }
    }
    if monitor.isCancelled { throw .cancelled }
    if case .intact = found { return }
    packsWithoutParity.append(pack.id)
  }

  private mutating func plan(_ options: VerifyOptions) throws(RepositoryError) {
    let packs = try translating { () throws(StoreError) in try store.packs.list(withSizes: true) }
    plan = ReadingPlan(
      // A pack that cannot be examined is read all the same, and then reported.
      packs.map { ($0.id, $0.size ?? 0) }, record, percent: options.readPercent,
      before: options.notReadSince?.timestamp)
  }

  /// Reads what was gathered of the packs, on all cores.
  private mutating func readData() throws(RepositoryError) {
    for finding in try data.run() {
      for error in finding.errors { note(error, in: finding.pack) }
      bad.formUnion(finding.bad)
      report.bytesRead += finding.bytesRead
      record.note(
        finding.pack, from: finding.part.from, rest: finding.rest, at: begun, isHurt: !finding.errors.isEmpty)
      monitor.advance(files: 1, bytes: 0)
    }
  }

  /// Notes an error. A damaged block is reported only once, however many blobs it holds.
  private mutating func note(_ error: StoreError, in pack: ObjectID) {
    if error.isDamage { damagedPacks.insert(pack) }
    let found = VerifyReport.Damage(message: error.message, states: [], path: nil)
    if report.damage.last != found { report.damage.append(found) }
  }

  /// The snapshots that lost their name or step a short while ago. The trash still keeps them, so they are checked,
  /// too.
  private mutating func trash(_ refs: Refs) throws(StoreError) -> [TrashEntry] {
    do throws(StoreError) {
      return try store.refs.trash(refs)
    } catch {
      guard error.isDamage else { throw error }
      report.damage.append(VerifyReport.Damage(message: error.message, states: [], path: nil))
      return []
    }
  }

  /// Checks the ignore rules that were stored for later restores. No pack depends on them.
  private mutating func readRules() throws(RepositoryError) {
    let worktrees: [WorktreeStorage]
    do throws(RepositoryError) {
      worktrees = try repository.worktrees()
    } catch {
      // What is wrong with `refs` is said elsewhere.
      guard error.isDamage else { throw error }
      worktrees = [repository.worktree]
    }
    for worktree in worktrees {
      do throws(RepositoryError) {
        _ = try PersistedRules(worktree).read()
      } catch {
        guard error.code == .damaged else { throw error }
        report.damage.append(VerifyReport.Damage(message: error.message, states: [], path: nil, isDerived: true))
      }
    }
  }

  private mutating func compareIndex() {
    for difference in store.index.differences(from: view) {
      let what =
        difference.rows.map { "\($0 == 1 ? "1 row is" : "\($0) rows are") not what the packs say" }
        ?? "it cannot be read"
      report.damage.append(
        VerifyReport.Damage(
          message: "the index is damaged: index/\(difference.table): \(what)", states: [], path: nil, isDerived: true))
    }
  }

  /// Whether a pack holds a chunk. When the table of a pack is damaged, the index may still know where its chunks are;
  /// `store` is then read, and the chunk counts if its bytes match its id.
  private static func presence(
    of id: ObjectID, length: UInt64, in view: PackView, orReading store: Store?
  ) -> BlobPresence {
    let found = view.presence(of: id, length: length)
    guard found != .there, let store else { return found }
    var reader = store.blobReader()
    // Any error here would also stop a restore, so its kind does not matter.
    guard let bytes = try? reader.read(id) else { return found }
    return UInt64(bytes.count) == length ? .there : .otherLength
  }

  /// Checks all snapshots that are kept. Damage that several snapshots share is reported only once.
  private mutating func follow(_ refs: Refs) throws(RepositoryError) {
    var names: [ObjectID: [String]] = [:]
    for state in refs.states { names[state.snapshot, default: []].append(state.name) }
    var kept = refs.roots
    let trashed = try translating { () throws(StoreError) in try trash(refs) }
    for entry in trashed where kept.insert(entry.snapshot).inserted || names[entry.snapshot] == nil {
      names[entry.snapshot, default: []].append(entry.label)
    }
    let (view, unread) = (view, hasUnreadPacks ? store : nil)
    var walker = SnapshotCheck(store, monitor: monitor, bad: bad) {
      StoreCheck.presence(of: $0, length: $1, in: view, orReading: unread)
    }
    report.snapshots += kept.count
    let found = try translating { () throws(StoreError) in
      try SnapshotDamage.find(in: kept.sorted(), names, &walker)
    }
    report.damage += found
  }
}
