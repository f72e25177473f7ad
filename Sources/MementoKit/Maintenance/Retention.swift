// Decides what gc keeps of all that no name keeps: the steps of the timeline, those that fell off it, and the trash. A pure
// computation on `refs`, their lists and a clock.

internal import MementoStore
internal import MementoSystem

struct Retention {
  /// What counts for one gc: the policy, or what its options say instead.
  struct Rules {
    /// For unnamed snapshots and steps.
    var keep: RetentionPolicy.Keep
    /// How long the trash keeps an entry, in seconds; nil removes all entries now.
    var trash: UInt64?
    /// Whether the trash stays as it is, whatever its age and the budget.
    var holdsTrash = false
  }

  /// A snapshot that neither a name nor the position keeps.
  struct Item {
    var snapshot: ObjectID
    /// The names that it lost, newest first.
    var names: [String] = []
    /// Why it has no name or step, by the newest of what keeps or kept it.
    var reason: LossReason
    /// When that came: in seconds that the store had seen pass, and among what came in the same second.
    var came: (lived: UInt64, order: Int)
    /// Seconds since then.
    var age: UInt64
    /// Seconds until gc may remove it. Nil when only the number of newer ones keeps it, and when nothing does.
    var timeLeft: UInt64?
    /// The index of its newest step that stays, for each timeline that has one, by the number of the timeline.
    var steps: [Int: Int] = [:]
  }

  /// So many of the oldest steps leave their timelines.
  struct Expired {
    /// Of each of `Refs.timelines`.
    fileprivate(set) var counts: [Int]

    /// Those of the folder that is looked from.
    var own: Int { counts[0] }
    var count: Int { counts.reduce(0, +) }

    /// The steps themselves. `refs`: those that this was made from.
    func steps(of refs: Refs) -> ExpiredSteps {
      var forks: [ForkID: [TimelineStep]] = [:]
      for (fork, count) in zip(refs.forks, counts.dropFirst()) {
        forks[fork.id] = Array(fork.timeline.steps.prefix(count))
      }
      return ExpiredSteps(own: Array(refs.timeline.steps.prefix(own)), forks: forks)
    }
  }

  /// Snapshots that names, the position, what redo leads to, or a pending restore keep, whatever the rules say.
  let fixed: Set<ObjectID>
  /// Snapshots that gc keeps, newest first.
  private(set) var kept: [Item] = []
  /// Snapshots that gc removes, newest first.
  private(set) var dropped: [Item] = []
  /// The steps that leave their timelines.
  private(set) var expired: Expired
  /// How many seconds the store has seen pass when the first of what is kept comes of age.
  private(set) var until = UInt64.max
  /// The entries that stay in the trash.
  private(set) var entries: [TrashEntry] = []

  /// `entries`: those of the trash, oldest first. `clock`: that of `refs`, moved on to this moment.
  init(_ refs: Refs, _ entries: [TrashEntry], _ rules: Rules, now clock: LivedClock) {
    let timelines = refs.timelines
    let positions = timelines.map { $0.position ?? 0 }
    let named = Set(refs.states.map(\.snapshot))
    var fixed = named
    for (timeline, position) in zip(timelines, positions) {
      for step in timeline.steps.dropFirst(position) { fixed.insert(step.snapshot) }
    }
    for pending in refs.allPending {
      fixed.insert(pending.target)
      if let before = pending.before { fixed.insert(before) }
    }
    if rules.holdsTrash {
      for entry in entries where entry.reason != .passed { fixed.insert(entry.snapshot) }
    }
    self.fixed = fixed

    let unnamed = Retention.unnamed(timelines, entries, now: clock.seconds)
    let isKept = Retention.kept(unnamed, named, rules.keep, clock)
    // A timeline has no gaps: a step stays when an older one does.
    var expired = positions
    for (holder, isKept) in zip(unnamed, isKept) where isKept {
      if let step = holder.step { expired[step.timeline] = min(expired[step.timeline], step.index) }
    }
    self.expired = Expired(counts: expired)

    let now = clock.age(of: 0)
    for holder in unnamed {
      if let left = clock.timeLeft(since: holder.lived, of: rules.keep.seconds) { until = min(until, now + left) }
    }
    var items = Items()
    for (holder, isKept) in zip(unnamed, isKept) where !fixed.contains(holder.snapshot) {
      let stays = holder.step.flatMap { step in
        step.index >= expired[step.timeline] && step.index < positions[step.timeline] ? step : nil
      }
      items.add(
        Item(
          snapshot: holder.snapshot, reason: .unnamed,
          came: (holder.lived, holder.entry ?? entries.count + (holder.step?.index ?? 0)),
          age: clock.age(of: holder.lived),
          timeLeft: clock.timeLeft(since: holder.lived, of: rules.keep.seconds),
          steps: stays.map { [$0.timeline: $0.index] } ?? [:]),
        isKept: isKept || stays != nil)
    }
    var keptPassed: Set<Int> = []
    for (holder, isKept) in zip(unnamed, isKept) where isKept {
      if let entry = holder.entry { keptPassed.insert(entry) }
    }
    for (number, entry) in entries.enumerated() {
      if entry.reason == .passed {
        if keptPassed.contains(number) { self.entries.append(entry) }
        continue
      }
      if rules.holdsTrash {
        self.entries.append(entry)
        continue
      }
      let left = rules.trash.flatMap { clock.timeLeft(since: entry.lived, of: $0) }
      if let left {
        until = min(until, now + left)
        self.entries.append(entry)
      }
      if fixed.contains(entry.snapshot) { continue }
      items.add(
        Item(
          snapshot: entry.snapshot, names: entry.name.map { [$0] } ?? [], reason: LossReason(entry.reason),
          came: (entry.lived, number), age: clock.age(of: entry.lived), timeLeft: left),
        isKept: left != nil)
    }
    (kept, dropped) = items.sorted()
  }

  /// Drops what is kept beyond the first `count`, the newest, because the store has no room for it.
  mutating func limit(to count: Int) {
    guard count < kept.count else { return }
    var over = Array(kept[count...])
    for index in over.indices {
      over[index].reason = .overBudget
      for (timeline, step) in over[index].steps {
        expired.counts[timeline] = max(expired.counts[timeline], step + 1)
      }
    }
    let gone = Set(over.map(\.snapshot))
    entries.removeAll { gone.contains($0.snapshot) }
    kept.removeSubrange(count...)
    dropped = over + dropped
  }

  // MARK: Unnamed snapshots

  /// A step, or an entry of one that fell off the timeline.
  private struct Unnamed {
    var snapshot: ObjectID
    var lived: UInt64
    /// The number of its timeline, and its index there.
    var step: (timeline: Int, index: Int)?
    /// The index of the entry.
    var entry: Int?
  }

  /// Steps and those that fell off, oldest first.
  private static func unnamed(_ timelines: [FolderTimeline], _ entries: [TrashEntry], now: UInt64) -> [Unnamed] {
    var result: [Unnamed] = []
    for (number, entry) in entries.enumerated() where entry.reason == .passed {
      result.append(Unnamed(snapshot: entry.snapshot, lived: entry.lived, entry: number))
    }
    // A step of an earlier version has no age yet.
    for (number, timeline) in timelines.enumerated() {
      for (index, step) in timeline.steps.enumerated() {
        result.append(Unnamed(snapshot: step.snapshot, lived: step.lived ?? now, step: (number, index)))
      }
    }
    let order = result.indices.sorted { (result[$0].lived, $0) < (result[$1].lived, $1) }
    return order.map { result[$0] }
  }

  /// Which of them stay: what is young enough, and the newest. Those whose snapshot has a name do not count among these.
  private static func kept(
    _ unnamed: [Unnamed], _ named: Set<ObjectID>, _ keep: RetentionPolicy.Keep, _ clock: LivedClock
  ) -> [Bool] {
    var result = [Bool](repeating: false, count: unnamed.count)
    var counted: Set<ObjectID> = []
    for index in unnamed.indices.reversed() {
      let holder = unnamed[index]
      let isYoung = clock.timeLeft(since: holder.lived, of: keep.seconds) != nil
      guard isYoung || counted.count < keep.count else { continue }
      result[index] = true
      if !named.contains(holder.snapshot) { counted.insert(holder.snapshot) }
    }
    return result
  }
}

/// What keeps a snapshot, gathered from its steps and its entries.
private struct Items {
  private var items: [ObjectID: (item: Retention.Item, isKept: Bool)] = [:]

  mutating func add(_ item: Retention.Item, isKept: Bool) {
    guard var (old, wasKept) = items[item.snapshot] else {
      items[item.snapshot] = (item, isKept)
      return
    }
    let names = item.names + old.names
    let steps = old.steps.merging(item.steps) { max($0, $1) }
    let timeLeft = [old.timeLeft, item.timeLeft].compactMap(\.self).max()
    // What keeps it says why it is there; of two that do, or do not, the newer one.
    if isKept == wasKept ? item.came >= old.came : isKept { old = item }
    old.names = names
    old.steps = steps
    old.timeLeft = timeLeft
    wasKept = wasKept || isKept
    items[item.snapshot] = (old, wasKept)
  }

  /// The newest first.
  func sorted() -> (kept: [Retention.Item], dropped: [Retention.Item]) {
    let sorted = items.values.sorted { $0.item.came > $1.item.came }
    return (sorted.filter(\.isKept).map(\.item), sorted.filter { !$0.isKept }.map(\.item))
  }
}

extension TrashEntry {
  /// The text that stands where the name of a state would stand: `deleted NAME`.
  var label: String { "\(LossReason(reason)) \(name ?? snapshot.short)" }
}
