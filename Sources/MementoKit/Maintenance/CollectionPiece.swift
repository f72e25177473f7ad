// A piece of a collection that is spread over many saves: what each save does, within the time that it may take, to
// drop what `keep` and `max-size` do not hold, and to put versions side by side. It never touches the trash.
// docs/architecture.md, "Tidying up in pieces", says why it is safe beside other commands.

internal import MementoStore
internal import MementoSystem

struct CollectionPiece {
  /// Bytes that can surely be copied in a microsecond.
  static let speed: UInt64 = 32
  /// Pieces that take longer than allowed come after one in so many saves at least.
  static let rarest: UInt64 = 256
  private static let hour: UInt64 = 3600

  let repository: Repository
  let clock: @Sendable () -> UInt64

  private var store: Store { repository.store }
  private var due: CollectionDue { CollectionDue(repository: repository) }
  private var rules: Retention.Rules {
    Retention.Rules(keep: repository.folderConfig.retention.keep, trash: .max, holdsTrash: true)
  }

  /// When a part of this piece began, until when the save allows it to work, and until when it does: reading and writing its
  /// own notes may take longer than the save allows.
  struct Time {
    var began: UInt64
    var allowed: UInt64
    var end: UInt64
  }

  /// The packs that a collection is going to look at or to write anew.
  var packsAtWork: Set<ObjectID> {
    guard due.header?.phase == .sweeping, let collection = load(.sweeping) else { return [] }
    return collection.packsAtWork
  }

  /// How much of a hurry it is: whether the store is near its budget.
  func hurry() -> CollectionHurry {
    do throws(StoreError) {
      return try due.hurry(due.header)
    } catch {
      // The size of the disk cannot be known now. Then nothing is in a hurry.
      return .none
    }
  }

  /// Does a piece if one is due. `allowed`: nanoseconds, if there is no hurry. Never waits. What another process keeps it
  /// from is done later.
  func run(allowed: UInt64, _ hurry: CollectionHurry) {
    var time = Time(began: clock(), allowed: 0, end: 0)
    var hurry = hurry
    let start = time.began
    do throws(StoreError) {
      // With a hurry, one part comes after the other while there is time.
      while true {
        let allowed = hurry.time(allowed)
        if allowed == 0 { return }
        time.allowed = start + allowed
        if hurry != .none, time.began >= time.allowed { return }
        guard try part(time, allowed, hurry) else { return }
        hurry = try due.hurry(due.header)
        if hurry == .none { return }
        time.began = clock()
      }
    } catch {
      // Another process is at work.
      if case .locked = error { return }
      // What is damaged is for gc and verify to say, which a user looks at. Here it only means that nothing is dropped.
      giveUp()
    }
  }

  /// Does one part of it. Returns whether it got on, and the file says so.
  private func part(_ time: Time, _ allowed: UInt64, _ hurry: CollectionHurry) throws(StoreError) -> Bool {
    let refs = try store.refs.read()
    if !refs.allPending.isEmpty { return false }
    let known = due.header
    guard let header = known, header.phase != .idle else {
      guard try due.isToBeLookedAt(known, refs) else { return false }
      let collection = try due.look(known, refs, rules)
      return keep(collection) && collection.header.phase != .idle
    }
    // A piece that costs more than one save allows comes after as many saves as it takes.
    let cost = header.fixedCost.multipliedReportingOverflow(by: 2).partialValue
    if cost > allowed, hurry == .none, !isTurn(refs, of: min(cost / allowed + 1, CollectionPiece.rarest)) {
      return false
    }
    let time = Time(began: time.began, allowed: time.allowed, end: max(time.allowed, time.began + cost))
    switch header.phase {
    case .idle: return false
    case .marking: return try mark(time)
    case .marked, .sweeping: return store.folder.mayHaveUnsynced ? false : try tidy(time)
    }
  }

  /// One commit in `count` on average, whatever a save adds to the generation.
  private func isTurn(_ refs: Refs, of count: UInt64) -> Bool {
    (refs.generation &* 0x9e37_79b9_7f4a_7c15) >> 33 % count == 0
  }

  // MARK: The file

  /// Returns whether it was written.
  private func keep(_ collection: SpreadCollection) -> Bool {
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
    return phases.contains(found.header.phase) && found.header.policy == due.identity ? found : nil
  }

  /// Ends a collection that cannot go on, and begins the next one later.
  private func giveUp() {
    guard let refs = try? store.refs.read() else { return }  // a later save tries again
    var collection = due.ended(refs, base: 0)
    collection.header.nextLook += CollectionPiece.hour
    collection.header.nextGeneration &+= CollectionPiece.rarest
    // If it cannot be written, a later save gives up once more.
    _ = keep(collection)
  }

  // MARK: Marking

  /// Marks with a lock that keeps packs from being removed. Others may save meanwhile.
  private func mark(_ time: Time) throws(StoreError) -> Bool {
    let lock = try store.locks.take(UsesPacks.self, upgrading: false, waiting: 0)
    // Loaded and written under the lock: whoever sweeps holds it alone, and finds what was written last.
    guard var collection = load(.marking) else { return false }
    let loaded = clock()
    try mark(&collection, until: time.end)
    if collection.todo.isEmpty { collection.header.phase = .marked }
    collection.header.fixedCost = loaded > time.began ? (loaded - time.began) * 2 : 0
    try lock.check()
    return keep(collection)
  }

  private func mark(_ collection: inout SpreadCollection, until end: UInt64) throws(StoreError) {
    let clock = clock
    var mark = SnapshotMark(store, collection, while: { clock() < end })
    marking: while let next = collection.todo.last {
      switch try mark.mark(
        next, limit: collection.fixedCount > 0 ? nil : collection.limit, isNewest: collection.newestCount > 0)
      {
      case .marked:
        collection.todo.removeLast()
        collection.fixedCount = max(0, collection.fixedCount - 1)
        collection.newestCount = max(0, collection.newestCount - 1)
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

  // MARK: Tidying up

  /// Drops what expired from `refs`, and then removes packs, with a lock that keeps everybody else out.
  private func tidy(_ time: Time) throws(StoreError) -> Bool {
    let lock = try store.locks.take(RemovesPacks.self, upgrading: false, waiting: 0)
    guard var collection = load(.marked, .sweeping) else { return false }
    let loaded = clock()
    collection.header.fixedCost = loaded > time.began ? (loaded - time.began) * 2 : 0
    let refs = try store.refs.read()
    if !refs.allPending.isEmpty { return false }
    if collection.header.phase == .marked {
      try commit(&collection, refs, until: time.end, holding: lock)
    } else if try isMarked(&collection, store.refs.snapshots(of: refs, besides: collection.lists), until: time.end) {
      collection.lists = store.refs.lists(of: refs)
      let sweep = CollectionSweep(repository: repository, clock: clock, time: time)
      if try sweep.run(&collection, holding: lock) {
        collection = due.ended(refs, base: collection.header.base)
      }
    }
    return keep(collection)
  }

  /// Whether all these snapshots are marked. Marks those that are not, until the time is up.
  private func isMarked(
    _ collection: inout SpreadCollection, _ snapshots: (kept: Set<ObjectID>, trash: Set<ObjectID>), until end: UInt64
  ) throws(StoreError) -> Bool {
    var missing = snapshots.kept.filter { !collection.whole.contains($0) }.sorted()
    missing += try due.there(snapshots.trash.filter { !collection.whole.contains($0) }.sorted())
    if missing.isEmpty { return true }
    collection.todo = missing
    collection.fixedCount = missing.count
    // They were saved, or named again, since the collection began.
    collection.newestCount = missing.count
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
      steps: retention.expired.steps(of: refs), keeping: retention.entries,
      isStored: { [index = store.index] (id) throws(StoreError) in try index.contains(id) }, holding: lock,
      waiting: 0)
    if !isWritten { throw .system(operation: "write", path: "refs", .noSpace) }
    if !retention.dropped.isEmpty { repository.journal("gc", snapshot: nil, name: nil, at: Clock.now()) }
    collection.header.phase = .sweeping
    collection.packs = try store.index.presentPacks().sorted()
    collection.lists = store.refs.lists(of: try store.refs.read())
  }
}
