// When a collection in pieces is due. A save asks it of the first bytes of `cache/mark`. Only now and then is it asked of
// `refs`, with all lists: when a 64th of the age in `keep` has passed, and 16 commits, or when the packs have grown.

internal import MementoStore
internal import MementoSystem

struct CollectionSchedule {
  /// It is due when so many snapshots have expired, and an eighth of what stays.
  private static let due = 16
  /// Bytes that packs grow before a collection is due whatever expired, beside their doubling.
  private static let growth: UInt64 = 64 << 20
  /// Bytes that packs grow before versions are put side by side, beside half of what they had.
  private static let growthOfVersions: UInt64 = 8 << 20
  /// A collection begins with at least so much of a budget free, or with a quarter of a small budget.
  private static let leastMargin: UInt64 = 256 << 10

  let repository: Repository

  private var store: Store { repository.store }
  private var policy: RetentionPolicy { repository.folderConfig.retention }

  /// What a collection goes by. What the trash holds stays.
  var rules: Retention.Rules { Retention.Rules(keep: policy.keep, trash: .max, holdsTrash: true) }

  /// The same as an id, to notice that it has changed.
  var identity: ObjectID {
    // A share of the disk is a text: some file systems change their size all the time.
    ObjectID(hashing: Array("\(policy.keep.text) \(policy.budget?.text ?? "none")".utf8))
  }

  private func budget() throws(StoreError) -> UInt64? {
    guard let budget = policy.budget else { return nil }
    return try SpaceBudget(store).bytes(budget)
  }

  func isToBeLookedAt(_ header: SpreadCollection.Header?, _ refs: Refs) throws(StoreError) -> Bool {
    guard let header else { return true }
    let lived = store.refs.clock(refs).seconds
    let hasPassed = lived >= header.nextLook && refs.generation >= header.nextGeneration
    // After a repair of `refs` both may have gone back.
    let latest = refs.generation &+ 4096 + CollectionPiece.rarest
    if hasPassed || header.ended > lived || header.nextGeneration > latest { return true }
    return try hasGrown(header)
  }

  /// Whether the packs have grown so much since the last collection that one is due. Asks only the index.
  private func hasGrown(_ header: SpreadCollection.Header) throws(StoreError) -> Bool {
    let packs = store.index.packBytes
    let grown = packs > header.packBytes ? packs - header.packBytes : 0
    if grown > header.packBytes && grown > CollectionSchedule.growth { return true }
    if store.config.compression.ofVersions != nil, grown > CollectionSchedule.growthOfVersions,
      grown > header.packBytes / 2
    {
      return true
    }
    guard let budget = try budget() else { return false }
    return used(packs, header) > budget - margin(budget, header) && grown > budget / 64
  }

  /// Bytes of the store: what grows with the packs is their parity.
  private func used(_ packs: UInt64, _ header: SpreadCollection.Header) -> UInt64 {
    let ratio = max(1, Double(packs) / Double(max(header.packBytes, 1)))
    let other = Double(header.otherBytes) * (header.packBytes > 0 ? ratio : 1)
    return UInt64(min(Double(packs) + other, Double(1 << 62)))
  }

  /// How much of a budget is free when a collection begins: room for what saves add until it removes something, twice as
  /// much as they added during the one before.
  private func margin(_ budget: UInt64, _ header: SpreadCollection.Header) -> UInt64 {
    let grown = used(header.grown, header)
    return min(budget / 4, max(budget / 16, CollectionSchedule.leastMargin, grown > .max / 2 ? grown : grown * 2))
  }

  /// Whether the budget is nearly used up, so that a collection that is under way must come to its end.
  func isUrgent(_ header: SpreadCollection.Header) throws(StoreError) -> Bool {
    guard let budget = try budget() else { return false }
    return used(store.index.packBytes, header) > budget / 16 * 15
  }

  /// A collection that is due, or else one that is idle until the next look.
  func look(_ known: SpreadCollection.Header?, _ refs: Refs) throws(StoreError) -> SpreadCollection {
    let lived = store.refs.clock(refs)
    let retention = Retention(refs, try store.refs.trash(refs), rules, now: lived)
    let expired = retention.dropped.count
    var collection = SpreadCollection()
    collection.header = known ?? SpreadCollection.Header()
    collection.header.policy = identity
    let budget = try budget()
    var isDue = expired >= max(CollectionSchedule.due, retention.kept.count / 8)
    isDue = isDue || (expired > 0 && lived.seconds >= collection.header.ended + policy.keep.seconds / 4 && known != nil)
    if known == nil {
      noteSizes(&collection.header)
      collection.header.ended = lived.seconds
      if let budget {
        isDue =
          isDue || used(collection.header.packBytes, collection.header) > budget - margin(budget, collection.header)
      }
    } else if try hasGrown(collection.header) {
      isDue = true
    }
    if isDue {
      try begin(&collection, retention, refs, budget)
    } else {
      setNextLook(&collection.header, refs, kept: retention.kept.count)
    }
    return collection
  }

  private func begin(
    _ collection: inout SpreadCollection, _ retention: Retention, _ refs: Refs, _ budget: UInt64?
  ) throws(StoreError) {
    if let budget {
      let margin = margin(budget, collection.header)
      collection.limit = try SpaceBudget(store).forPacks(min(budget / 8 * 7, budget - margin - margin / 2))
    }
    collection.header.phase = .marking
    noteSizes(&collection.header)
    let order = MarkingOrder(refs)
    let fixed = try there(order.newestLast(retention.fixed))
    collection.todo = try there(retention.kept.map(\.snapshot)).reversed() + fixed
    collection.fixedCount = fixed.count
    collection.newestCount = min(fixed.count, MarkingOrder.newestSnapshots)
  }

  /// The snapshots that are stored. Of what only the trash keeps, gc may have removed some on a full disk.
  func there(_ snapshots: some Sequence<ObjectID>) throws(StoreError) -> [ObjectID] {
    var result: [ObjectID] = []
    for id in snapshots where try store.index.contains(id) { result.append(id) }
    return result
  }

  private func noteSizes(_ header: inout SpreadCollection.Header) {
    header.packBytes = store.index.packBytes
    header.otherBytes = policy.budget == nil ? 0 : store.folder.bytesBesidePacks() + store.folder.parityBytes()
  }

  /// `kept`: how many snapshots there are to look at. The more, the rarer a look.
  private func setNextLook(_ header: inout SpreadCollection.Header, _ refs: Refs, kept: Int = 0) {
    header.nextLook = store.refs.clock(refs).seconds + policy.keep.seconds / 64
    header.nextGeneration = refs.generation &+ UInt64(max(CollectionSchedule.due, min(kept / 16, 4096)))
  }

  /// What stands in the file after a collection. `grown`: bytes that saves added while it marked.
  func idle(_ refs: Refs, grown: UInt64 = 0) -> SpreadCollection {
    var collection = SpreadCollection()
    collection.header.policy = identity
    collection.header.ended = store.refs.clock(refs).seconds
    collection.header.grown = grown
    noteSizes(&collection.header)
    setNextLook(&collection.header, refs)
    return collection
  }
}
