// Whether a collection is due that is spread over many saves, and how much of a hurry the budget of the store makes it.
//
// This is asked of the first bytes of `cache/mark`. Only now and then is it asked of `refs`, with all lists: when a 64th of
// the age in `keep` has passed, and 16 commits, or when the packs have grown.

internal import MementoStore
internal import MementoSystem

/// How much of a hurry a collection is.
enum CollectionHurry: Equatable {
  /// None: it may take as many saves as it takes.
  case none
  /// The store has little room left in its budget.
  case nearBudget
  /// The store takes more than its budget, or will with one of the next saves.
  case overBudget

  /// What a piece may take then, in nanoseconds, however short the save was.
  private static let leastOver: UInt64 = 1_000_000_000

  /// Nanoseconds that a piece may take. `allowed`: what it may take when there is no hurry.
  func time(_ allowed: UInt64) -> UInt64 {
    let save = allowed.multipliedReportingOverflow(by: AutomaticUpkeep.share).partialValue
    return switch self {
    case .none: allowed
    case .nearBudget: save
    case .overBudget: max(save, CollectionHurry.leastOver)
    }
  }
}

struct CollectionDue {
  /// It is due when so many snapshots have expired, and an eighth of what stays.
  private static let due = 16
  /// Bytes that packs grow before a collection is due whatever expired, beside their doubling.
  private static let growth: UInt64 = 64 << 20
  /// Bytes that packs grow before versions are put side by side, beside half of what they had.
  private static let growthOfVersions: UInt64 = 8 << 20
  /// See `margin`.
  private static let leastMargin: UInt64 = 256 << 10

  let repository: Repository

  private var store: Store { repository.store }
  private var policy: RetentionPolicy { repository.folderConfig.retention }

  /// What a collection goes by.
  var identity: ObjectID {
    // A share of the disk is a text: some file systems change their size all the time.
    ObjectID(hashing: Array("\(policy.keep.text) \(policy.budget?.text ?? "none")".utf8))
  }

  /// The first bytes of the file, if it goes by the policy of now.
  var header: SpreadCollection.Header? {
    repository.worktree.derivedHead(SpreadCollection.fileName, count: SpreadCollection.headerSize)
      .flatMap { SpreadCollection.header($0) }.flatMap { $0.policy == identity ? $0 : nil }
  }

  func budget() throws(StoreError) -> UInt64? {
    guard let budget = policy.budget else { return nil }
    return try SpaceBudget(store).bytes(budget)
  }

  // MARK: The budget

  /// How much of a hurry it is. There is none for what a collection cannot bring about: the last one has left the store
  /// near its budget.
  func hurry(_ header: SpreadCollection.Header?) throws(StoreError) -> CollectionHurry {
    guard let budget = try budget() else { return .none }
    // Nothing is known of a policy that is new: what is there is measured.
    guard let header else { return hurry(budget) }
    if header.phase == .idle, try !hasGrown(header) { return .none }
    if header.packBytes > 0, isNear(budget, used(header.packBytes, header)) { return .none }
    guard isNear(budget, used(store.index.packBytes, header)) else { return .none }
    // That was an estimate, which costs nothing.
    return hurry(budget)
  }

  private func hurry(_ budget: UInt64) -> CollectionHurry {
    let used = Double(store.index.packBytes) + Double(otherBytes())
    if used > Double(budget - CollectionDue.margin(budget) / 2) { return .overBudget }
    return isNear(budget, used) ? .nearBudget : .none
  }

  /// A store begins to run out of its budget when only so much is left of it: room for the saves until a collection has
  /// ended. The files beside the packs take a large part of a small budget, and so does each save.
  private static func margin(_ budget: UInt64) -> UInt64 { max(budget / 16, min(budget / 4, leastMargin)) }

  /// What a collection leaves of a budget.
  private static func target(_ budget: UInt64) -> UInt64 { budget - max(budget / 8, margin(budget) / 2 * 3) }

  /// What the whole store takes with so many bytes of packs.
  private func used(_ packs: UInt64, _ header: SpreadCollection.Header) -> Double {
    // What grows with the packs is their parity.
    let ratio = header.packBytes > 0 ? max(1, Double(packs) / Double(header.packBytes)) : 1
    return Double(packs) + Double(header.otherBytes) * ratio
  }

  /// Whether a store begins to run out of its budget.
  private func isNear(_ budget: UInt64, _ used: Double) -> Bool { used > Double(budget - CollectionDue.margin(budget)) }

  // MARK: Whether it is due

  func isToBeLookedAt(_ header: SpreadCollection.Header?, _ refs: Refs) throws(StoreError) -> Bool {
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
    let grown = packs > header.packBytes ? packs - header.packBytes : 0
    if grown > header.packBytes && grown > CollectionDue.growth { return true }
    let canSort = store.config.compression.ofVersions != nil
    if canSort, grown > header.packBytes / 2 && grown > CollectionDue.growthOfVersions { return true }
    guard let budget = try budget() else { return false }
    return isNear(budget, used(packs, header)) && grown > budget / 64
  }

  /// A collection that begins if one is due, or else a note of when to look again. `known`: what the file says; nil where
  /// there is none that goes by the policy of now.
  func look(
    _ known: SpreadCollection.Header?, _ refs: Refs, _ rules: Retention.Rules
  ) throws(StoreError) -> SpreadCollection {
    let lived = store.refs.clock(refs)
    let retention = Retention(refs, try store.refs.trash(refs), rules, now: lived)
    let expired = retention.dropped.count
    let packs = store.index.packBytes
    var collection = SpreadCollection()
    collection.header = known ?? SpreadCollection.Header(policy: identity)
    let budget = try budget()
    var isDue = expired >= max(CollectionDue.due, retention.kept.count / 8)
    isDue = isDue || (expired > 0 && lived.seconds >= collection.header.ended + policy.keep.seconds / 4 && known != nil)
    if known == nil {
      collection.header.ended = lived.seconds
      collection.header.otherBytes = budget == nil ? 0 : otherBytes()
      if let budget { isDue = isDue || isNear(budget, used(packs, collection.header)) }
      // Of a first collection nobody knows what it leaves.
      collection.header.packBytes = isDue ? 0 : packs
    } else if try hasGrown(collection.header) {
      isDue = true
    }
    if isDue {
      collection.header.phase = .marking
      collection.header.base = packs
      collection.limit = try budget.map { (budget) throws(StoreError) in
        try SpaceBudget(store).forPacks(CollectionDue.target(budget))
      }
      let kept = retention.kept.map(\.snapshot)
      // A budget may drop what has no name, however new it is; and in a budget nothing is sorted.
      let order = MarkingOrder(refs, collection.limit == nil ? retention.fixed.union(kept) : retention.fixed)
        .newestLast(retention.fixed)
      let (others, newest) = (try there(order.others), try there(order.newest))
      collection.todo = try there(kept).reversed() + others + newest
      collection.fixedCount = others.count + newest.count
      collection.newestCount = newest.count
    } else {
      setNextLook(&collection.header, refs, kept: retention.kept.count)
    }
    return collection
  }

  /// The snapshots that are stored. Of what only the trash keeps, gc may have removed some on a full disk.
  func there(_ snapshots: some Sequence<ObjectID>) throws(StoreError) -> [ObjectID] {
    var result: [ObjectID] = []
    for id in snapshots where try store.index.contains(id) { result.append(id) }
    return result
  }

  // MARK: When to look again

  /// A note that a collection has ended. `base`: the bytes of packs that it has left, without those that came meanwhile; 0
  /// when that is not known.
  func ended(_ refs: Refs, base: UInt64) -> SpreadCollection {
    var collection = SpreadCollection()
    collection.header.policy = identity
    collection.header.ended = store.refs.clock(refs).seconds
    let packs = store.index.packBytes
    // What came meanwhile counts as growth, so that the next collection begins when it is too much.
    collection.header.packBytes = base > 0 ? min(base, packs) : packs
    let share = Double(collection.header.packBytes) / Double(max(packs, 1))
    collection.header.otherBytes = policy.budget == nil ? 0 : UInt64(Double(otherBytes()) * min(share, 1))
    setNextLook(&collection.header, refs)
    return collection
  }

  private func otherBytes() -> UInt64 { store.folder.bytesBesidePacks() + store.folder.parityBytes() }

  /// `kept`: how many snapshots there are to look at. The more, the rarer a look.
  private func setNextLook(_ header: inout SpreadCollection.Header, _ refs: Refs, kept: Int = 0) {
    header.nextLook = store.refs.clock(refs).seconds + policy.keep.seconds / 64
    header.nextGeneration = refs.generation &+ UInt64(max(CollectionDue.due, min(kept / 16, 4096)))
  }
}
