// Marks what gc keeps, the newest first, and measures what each snapshot takes. If the store has a budget, the mark ends at
// the first snapshot that does not fit in.

internal import MementoStore
internal import MementoSystem

struct GarbageMark {
  /// What one blob takes beside its bytes: its record in the table of contents, and its row in the index.
  private static let overhead: UInt64 = 36 + 44

  /// What these need stays in blocks that are fast to read: the position, and what was saved last before it.
  private static let newestSnapshots = 4

  private let store: Store
  private let monitor: any Monitor
  private var reachable: Reachability
  /// Bytes that all kept blobs may take; nil for no limit.
  private let budget: UInt64?
  private var size: UInt64 = 0
  /// How many of the marked blobs are kept, if not all: the first.
  private var kept: Int?
  /// The first snapshot that did not fit in, and what it takes.
  private var over: (snapshot: ObjectID, bytes: UInt64)?
  /// How many of the marked blobs the newest snapshots need: the first.
  private var newest = 0
  /// What unnamed snapshots take, and what the trash takes.
  private(set) var unnamed: UInt64 = 0
  private(set) var trash: UInt64 = 0

  init(_ repository: Repository, budget: UInt64?, monitor: any Monitor) {
    store = repository.store
    self.monitor = monitor
    self.budget = budget
    reachable = Reachability(repository, monitor: monitor)
  }

  /// The number of blobs that were marked.
  var markedCount: Int { reachable.count }

  /// How many of the marked blobs are kept: the first.
  var keptCount: Int { kept ?? markedCount }

  /// The bytes that the packs with the marked blobs may take; nil for no limit.
  var packBudget: UInt64? {
    budget.map { budget in
      let rows = UInt64(keptCount) * 44
      return budget > rows ? budget - rows : 0
    }
  }

  /// Where the marked blobs belong.
  var order: BlobOrder { BlobOrder(reachable.paths, newest: newest) }

  /// All that was marked, in that order. Nothing can be marked any more.
  mutating func release() -> BlobSet { reachable.release() }

  /// Marks what is kept whatever it takes, in this order, the newest first. Throws when something in it is missing or
  /// damaged.
  mutating func add(fixed snapshots: [ObjectID]) throws(StoreError) {
    for (number, snapshot) in snapshots.enumerated() {
      try checkCancellation()
      if number == GarbageMark.newestSnapshots { newest = markedCount }
      try reachable.add(snapshot)
    }
    if snapshots.count <= GarbageMark.newestSnapshots { newest = markedCount }
    try reachable.addReplaced()
    if budget != nil { size = try bytes(after: 0) }
  }

  /// Marks other snapshots, the newest first, until there is no room. Drops the rest from `retention`. Returns those that
  /// no step of the timeline keeps. Of a damaged one in the trash, what is there is kept: the damage does not stop gc
  /// from removing other things.
  mutating func add(_ retention: inout Retention) throws(StoreError) -> [HeldSnapshot] {
    let now = Clock.now()
    var held: [HeldSnapshot] = []
    for (number, item) in retention.kept.enumerated() {
      try checkCancellation()
      let before = markedCount
      var isWhole = true
      if item.steps.isEmpty {
        isWhole = try reachable.addWhatIsThere(item.snapshot)
      } else {
        try reachable.add(item.snapshot)
      }
      try reachable.addReplaced()
      let bytes = try bytes(after: before)
      if let budget {
        size += bytes
        if size > budget {
          retention.limit(to: number)
          kept = before
          over = (item.snapshot, bytes)
          return held
        }
      }
      if item.reason == .unnamed { unnamed += bytes } else { trash += bytes }
      if !item.steps.isEmpty { continue }
      held.append(HeldSnapshot(item, bytes: bytes, isWhole: isWhole, now: now, in: store))
    }
    return held
  }

  /// Measures what is dropped. To be called when all that is kept is marked: the blobs that it marks are not kept.
  /// Nil for a snapshot that cannot be read as a whole.
  mutating func measure(_ item: Retention.Item) throws(StoreError) -> UInt64? {
    try checkCancellation()
    if let over, over.snapshot == item.snapshot { return over.bytes }
    if kept == nil { kept = markedCount }
    let before = markedCount
    do throws(StoreError) {
      _ = try reachable.addWhatIsThere(item.snapshot)
    } catch {
      if case .cancelled = error { throw error }
      // It is only for the report.
      return nil
    }
    return try bytes(after: before)
  }

  private func bytes(after before: Int) throws(StoreError) -> UInt64 {
    let added = UInt64(markedCount - before)
    let stored = try store.index.storedBytes(of: reachable.needed, after: before)
    return budget == nil ? stored : stored + added * GarbageMark.overhead
  }

  private func checkCancellation() throws(StoreError) {
    if monitor.isCancelled { throw .cancelled }
  }
}
