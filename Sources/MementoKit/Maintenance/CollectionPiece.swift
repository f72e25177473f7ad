// A piece of a collection that is spread over many saves: what each save does, within the time that it may take, to
// drop what `keep` and `max-size` do not hold. It never touches the trash. docs/architecture.md, "Tidying up in
// pieces", says why it is safe beside other commands.
//
// Whether one is due is asked of the first bytes of `cache/mark`. Only now and then is it asked of `refs`, with all
// lists: when a 64th of the age in `keep` has passed, and 16 commits, or when the packs have grown.

internal import MementoStore
internal import MementoSystem

struct CollectionPiece {
  /// It is due when so many snapshots have expired, and an eighth of what stays.
  private static let due = 16
  /// Bytes that packs grow before a collection is due whatever expired, beside their doubling.
  private static let growth: UInt64 = 64 << 20
  /// Bytes that can surely be copied in a microsecond.
  static let speed: UInt64 = 32
  /// A piece of rewriting may copy so much.
  private static let leastCopied: UInt64 = 64 << 10
  /// Pieces that take longer than allowed come after one in so many saves at least.
  private static let rarest: UInt64 = 256
  private static let hour: UInt64 = 3600

  let repository: Repository
  let clock: @Sendable () -> UInt64

  private var store: Store { repository.store }
  private var policy: RetentionPolicy { repository.folderConfig.retention }
  private var rules: Retention.Rules { Retention.Rules(keep: policy.keep, trash: .max, holdsTrash: true) }

  /// When this piece began, and until when it may work.
  private struct Time {
    var began: UInt64
    var end: UInt64
  }

  /// Does a piece if one is due. `allowed`: nanoseconds. Never waits. What another process keeps it from is done later.
  func run(allowed: UInt64) {
    if allowed == 0 { return }
    let began = clock()
    do throws(StoreError) {
      let refs = try store.refs.read()
      if refs.pending != nil { return }
      let header = repository.worktree.derivedHead(SpreadCollection.fileName, count: SpreadCollection.headerSize)
        .flatMap { SpreadCollection.header($0) }
      guard let header, header.policy == identity, header.phase != .idle else {
        let known = header?.policy == identity ? header : nil
        if try isToBeLookedAt(known, refs) { try look(known, refs) }
        return
      }
      // A piece that costs more than one save allows comes after as many saves as it takes.
      let cost = header.fixedCost.multipliedReportingOverflow(by: 2).partialValue
      if cost > allowed, !isTurn(refs, of: min(cost / allowed + 1, CollectionPiece.rarest)) { return }
      let time = Time(began: began, end: began + max(allowed, cost))
      switch header.phase {
      case .idle: break
      case .marking: try mark(time)
      case .marked, .sweeping:
        if !store.folder.mayHaveUnsynced { try tidy(time) }
      }
    } catch {
      // Another process is at work.
      if case .locked = error { return }
      // What is damaged is for gc and verify to say, which a user looks at. Here it only means that nothing is dropped.
      giveUp()
    }
  }

  /// One commit in `count` on average, whatever a save adds to the generation.
  private func isTurn(_ refs: Refs, of count: UInt64) -> Bool {
    (refs.generation &* 0x9e37_79b9_7f4a_7c15) >> 33 % count == 0
  }

  // MARK: Whether it is due

  /// What a collection goes by.
  private var identity: ObjectID {
    // A share of the disk is a text: some file systems change their size all the time.
    ObjectID(hashing: Array("\(policy.keep.text) \(policy.budget?.text ?? "none")".utf8))
  }

  private func budget() throws(StoreError) -> UInt64? {
    guard let budget = policy.budget else { return nil }
    return try SpaceBudget(store).bytes(budget)
  }

  private func isToBeLookedAt(_ header: SpreadCollection.Header?, _ refs: Refs) throws(StoreError) -> Bool {
    guard let header else { return true }
    let lived = store.refs.clock(refs).seconds
    let hasPassed = lived >= header.nextLook && refs.generation >= header.nextGeneration
    // After a repair of `refs` both may have gone back.
    let isFromFuture = header.ended > lived || header.nextGeneration > refs.generation &+ 4096 + CollectionPiece.rarest
    if hasPassed || isFromFuture { return true }
    return try hasGrown(header)
  }

  /// Whether the packs have grown so much since the last collection that one is due. Asks only the index.
  private func hasGrown(_ header: SpreadCollection.Header) throws(StoreError) -> Bool {
    let packs = store.index.packBytes
    if packs / 2 > header.packBytes && packs > header.packBytes + CollectionPiece.growth { return true }
    guard let budget = try budget() else { return false }
    return isOver(budget, packs, header) && packs > header.packBytes + budget / 64
  }

  /// Whether a store begins to run out of its budget.
  private func isOver(_ budget: UInt64, _ packs: UInt64, _ header: SpreadCollection.Header) -> Bool {
    // What grows with the packs is their parity.
    let ratio = Double(packs) / Double(max(header.packBytes, 1))
    let other = Double(header.otherBytes) * (header.packBytes > 0 ? max(1, ratio) : 1)
    return Double(packs) + other > Double(budget) * 15 / 16
  }

  /// Begins a collection if one is due, or else notes when to look again.
  private func look(_ known: SpreadCollection.Header?, _ refs: Refs) throws(StoreError) {
    let lived = store.refs.clock(refs)
    let retention = Retention(refs, try store.refs.trash(refs), rules, now: lived)
    let expired = retention.dropped.count
    var collection = SpreadCollection()
    collection.header = known ?? SpreadCollection.Header()
    collection.header.policy = identity
    let budget = try budget()
    var isDue = expired >= max(CollectionPiece.due, retention.kept.count / 8)
    isDue = isDue || (expired > 0 && lived.seconds >= collection.header.ended + policy.keep.seconds / 4 && known != nil)
    if known == nil {
      collection.header.packBytes = store.index.packBytes
      collection.header.ended = lived.seconds
      collection.header.otherBytes = budget == nil ? 0 : otherBytes()
      if let budget { isDue = isDue || isOver(budget, collection.header.packBytes, collection.header) }
    } else if try hasGrown(collection.header) {
      isDue = true
    }
    if isDue {
      collection.header.phase = .marking
      collection.limit = try budget.map { (budget) throws(StoreError) in
        try SpaceBudget(store).forPacks(budget / 8 * 7)
      }
      let fixed = try there(retention.fixed)
      collection.todo = try there(retention.kept.map(\.snapshot)).reversed() + fixed
      collection.fixedCount = fixed.count
    } else {
      setNextLook(&collection.header, refs, kept: retention.kept.count)
    }
    keep(collection)
  }

  /// The snapshots that are stored. Of what only the trash keeps, gc may have removed some on a full disk.
  private func there(_ snapshots: some Sequence<ObjectID>) throws(StoreError) -> [ObjectID] {
    var result: [ObjectID] = []
    for id in snapshots where try store.index.contains(id) { result.append(id) }
    return result
  }

  private func otherBytes() -> UInt64 { store.folder.bytesBesidePacks() + store.folder.parityBytes() }

  /// `kept`: how many snapshots there are to look at. The more, the rarer a look.
  private func setNextLook(_ header: inout SpreadCollection.Header, _ refs: Refs, kept: Int = 0) {
    header.nextLook = store.refs.clock(refs).seconds + policy.keep.seconds / 64
    header.nextGeneration = refs.generation &+ UInt64(max(CollectionPiece.due, min(kept / 16, 4096)))
  }

  private func keep(_ collection: SpreadCollection) {
    repository.worktree.keepDerived(SpreadCollection.fileName, collection.encoded())
  }

  /// The collection in the file, if it goes by the policy of now and is in this phase.
  private func load(_ phases: SpreadCollection.Phase...) -> SpreadCollection? {
    let found = repository.worktree.derived(SpreadCollection.fileName, limit: SpreadCollection.sizeLimit)
      .flatMap { SpreadCollection($0) }
    guard let found else {
      repository.worktree.dropDerived(SpreadCollection.fileName)
      return nil
    }
    return phases.contains(found.header.phase) && found.header.policy == identity ? found : nil
  }

  /// Ends a collection that cannot go on, and begins the next one later.
  private func giveUp() {
    guard let refs = try? store.refs.read() else { return }  // a later save tries again
    var collection = SpreadCollection()
    collection.header.policy = identity
    collection.header.ended = store.refs.clock(refs).seconds
    collection.header.packBytes = store.index.packBytes
    setNextLook(&collection.header, refs)
    collection.header.nextLook += CollectionPiece.hour
    collection.header.nextGeneration &+= CollectionPiece.rarest
    keep(collection)
  }

  // MARK: Marking

  /// Marks with a lock that keeps packs from being removed. Others may save meanwhile.
  private func mark(_ time: Time) throws(StoreError) {
    let lock = try store.locks.take(UsesPacks.self, upgrading: false, waiting: 0)
    // Loaded and written under the lock: whoever sweeps holds it alone, and finds what was written last.
    guard var collection = load(.marking) else { return }
    let loaded = clock()
    try mark(&collection, until: time.end)
    if collection.todo.isEmpty { collection.header.phase = .marked }
    collection.header.fixedCost = loaded > time.began ? (loaded - time.began) * 2 : 0
    try lock.check()
    keep(collection)
  }

  private func mark(_ collection: inout SpreadCollection, until end: UInt64) throws(StoreError) {
    let clock = clock
    var mark = SnapshotMark(store, collection, while: { clock() < end })
    marking: while let next = collection.todo.last {
      switch try mark.mark(next, limit: collection.fixedCount > 0 ? nil : collection.limit) {
      case .marked:
        collection.todo.removeLast()
        collection.fixedCount = max(0, collection.fixedCount - 1)
      case .unfinished: break marking
      case .tooLarge:
        // The older ones go, too, although one of them may be smaller.
        collection.over = next
        collection.todo = []
      }
    }
    collection.whole = mark.whole
    collection.chunks = mark.chunks
    collection.size = mark.size
  }

  // MARK: Sweeping

  /// Drops what expired from `refs`, and then removes packs, with a lock that keeps everybody else out.
  private func tidy(_ time: Time) throws(StoreError) {
    let lock = try store.locks.take(RemovesPacks.self, upgrading: false, waiting: 0)
    guard var collection = load(.marked, .sweeping) else { return }
    let loaded = clock()
    collection.header.fixedCost = loaded > time.began ? (loaded - time.began) * 2 : 0
    let refs = try store.refs.read()
    if refs.pending != nil { return }
    if collection.header.phase == .marked {
      try commit(&collection, refs, until: time.end, holding: lock)
    } else if try isMarked(&collection, store.refs.snapshots(of: refs, besides: collection.lists), until: time.end) {
      collection.lists = store.refs.lists(of: refs)
      try sweep(&collection, refs, until: time.end, holding: lock)
    }
    keep(collection)
  }

  /// Whether all these snapshots are marked. Marks those that are not, until the time is up.
  private func isMarked(
    _ collection: inout SpreadCollection, _ snapshots: (kept: Set<ObjectID>, trash: Set<ObjectID>), until end: UInt64
  ) throws(StoreError) -> Bool {
    var missing = snapshots.kept.filter { !collection.whole.contains($0) }.sorted()
    missing += try there(snapshots.trash.filter { !collection.whole.contains($0) }.sorted())
    if missing.isEmpty { return true }
    collection.todo = missing
    collection.fixedCount = missing.count
    try mark(&collection, until: end)
    return collection.todo.isEmpty
  }

  /// Takes from `refs` what expired. All that they still name is marked.
  private func commit(
    _ collection: inout SpreadCollection, _ refs: Refs, until end: UInt64,
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    try store.index.reconcile(again: true)
    if let problem = store.index.problems.first { throw problem }
    var retention = Retention(refs, try store.refs.trash(refs), rules, now: store.refs.clock(refs))
    if let over = collection.over, let first = retention.kept.firstIndex(where: { $0.snapshot == over }) {
      retention.limit(to: first)
    }
    let wanted = retention.fixed.union(retention.kept.map(\.snapshot))
    let kept = wanted.intersection(refs.roots)
    if try !isMarked(&collection, (kept, wanted.subtracting(kept)), until: end) { return }
    try lock.check()
    // `refs` are written before anything is removed: they never name what is missing.
    let isWritten = try store.refs.expire(
      steps: Array(refs.timeline.steps[..<retention.expiredSteps]), keeping: retention.entries, holding: lock,
      waiting: 0)
    if !isWritten { throw .system(operation: "write", path: "refs", .noSpace) }
    if !retention.dropped.isEmpty { repository.journal("gc", snapshot: nil, name: nil, at: Clock.now()) }
    collection.header.phase = .sweeping
    collection.packs = try store.index.presentPacks().sorted()
    collection.lists = store.refs.lists(of: try store.refs.read())
  }

  /// Removes packs of which nothing is needed, and then rewrites those of which little is.
  private func sweep(
    _ collection: inout SpreadCollection, _ refs: Refs, until end: UInt64,
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    let present = Set(try store.index.presentPacks())
    collection.sparse.removeAll { !present.contains($0.id) }
    let sweep = PieceSweep(store)
    let isLookedAt = collection.packs.isEmpty
    if !isLookedAt {
      try lookAtPacks(&collection, sweep, present, until: end, holding: lock)
      // What a merge took for its flushes, rewriting will take.
      if collection.packs.isEmpty {
        collection.header.fixedCost = max(collection.header.fixedCost, repository.worktree.mergedPacks().fixedCost)
      }
    } else if !collection.sparse.isEmpty {
      try rewrite(&collection, sweep, present, until: end, holding: lock)
    }
    if !collection.packs.isEmpty || !collection.sparse.isEmpty { return }
    var header = SpreadCollection.Header(policy: collection.header.policy)
    header.ended = store.refs.clock(refs).seconds
    header.packBytes = store.index.packBytes
    header.otherBytes = policy.budget == nil ? 0 : otherBytes()
    setNextLook(&header, refs)
    collection = SpreadCollection()
    collection.header = header
  }

  private func lookAtPacks(
    _ collection: inout SpreadCollection, _ sweep: PieceSweep, _ present: Set<ObjectID>, until end: UInt64,
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    var dead: [ObjectID] = []
    let percent: UInt64 = collection.limit == nil ? 20 : 5
    var isFirst = true
    while let pack = collection.packs.last, isFirst || clock() < end {
      isFirst = false
      collection.packs.removeLast()
      // A merge may have taken it since.
      guard present.contains(pack) else { continue }
      let use = try sweep.use(of: pack, collection.isNeeded)
      if !use.isNeeded {
        dead.append(pack)
      } else if use.isSparse(percent) {
        collection.sparse.append((pack, use.live))
      }
    }
    try sweep.remove(dead, holding: lock)
  }

  private func rewrite(
    _ collection: inout SpreadCollection, _ sweep: PieceSweep, _ present: Set<ObjectID>, until end: UInt64,
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) {
    let now = clock()
    let limit = max((end > now ? end - now : 0) / 1000 * CollectionPiece.speed, CollectionPiece.leastCopied)
    collection.sparse.sort { ($0.live, $0.id) < ($1.live, $1.id) }
    var chosen: [ObjectID] = []
    var size: UInt64 = 0
    for pack in collection.sparse where chosen.isEmpty || size + pack.live <= limit {
      chosen.append(pack.id)
      size += pack.live
    }
    var copied = now
    // A merge reads back what it writes, too.
    let merged = repository.worktree.mergedPacks()
    let words = Set(present.map(\.words.0))
    let trusted = Set(collection.written.compactMap { merged.present($0.words.0, among: words) })
    let done = try sweep.rewrite(
      chosen, keeping: collection.isNeeded, trusting: present.filter { trusted.contains($0.words.0) },
      copyingAtMost: limit,
      while: {
        copied = clock()
        return copied < end
      }, holding: lock)
    collection.written.formUnion(done.written)
    collection.sparse.removeAll { done.gone.contains($0.id) }
    let finished = clock()
    collection.header.fixedCost += finished > copied ? finished - copied : 0
  }
}
