// Which snapshots of the trash gc holds, and which it may drop.

internal import MementoStore
internal import MementoSystem

struct TrashSorting {
  /// A snapshot that neither a name nor a step keeps.
  struct Item {
    var snapshot: ObjectID
    /// The names that it lost, the newest first.
    var names: [String]
    /// How it came into the trash last.
    var reason: TrashReason
    /// Seconds since then.
    var age: UInt64
    /// Seconds until it may go.
    var timeLeft: UInt64
  }

  /// The entries whose time is not over.
  private(set) var kept: [TrashEntry] = []
  /// The newest first.
  private(set) var held: [Item] = []
  private(set) var dropped: [Item] = []

  /// `now`: the trash as it is after the time that has passed. `time`: how long an entry stays, in seconds; nil: it
  /// goes now.
  init(_ entries: [TrashEntry], now: Trash, time: UInt64?, keptOtherwise roots: Set<ObjectID>) {
    var items: [ObjectID: Item] = [:]
    var order: [ObjectID] = []
    for entry in entries.reversed() {
      let left = time.flatMap { now.timeLeft(entry, of: $0) }
      if left != nil { kept.append(entry) }
      if roots.contains(entry.snapshot) { continue }
      let names = entry.name.map { [$0] } ?? []
      if items[entry.snapshot] == nil {
        order.append(entry.snapshot)
        let age = now.seconds > entry.lived ? now.seconds - entry.lived : 0
        items[entry.snapshot] = Item(
          snapshot: entry.snapshot, names: names, reason: entry.reason, age: age, timeLeft: left ?? 0)
      } else {
        items[entry.snapshot]?.names += names
      }
    }
    kept.reverse()
    for item in order.compactMap({ items[$0] }) {
      if item.timeLeft > 0 { held.append(item) } else { dropped.append(item) }
    }
  }
}

extension TrashEntry {
  /// What it is called where names of states stand: `deleted NAME`.
  var label: String { "\(reason.rawValue) \(name ?? snapshot.short)" }
}
