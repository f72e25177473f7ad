// Decides which snapshots of the trash gc keeps, and which it may remove.

internal import MementoStore
internal import MementoSystem

struct TrashSorting {
  /// A snapshot that neither a name nor a step of the timeline keeps.
  struct Item {
    var snapshot: ObjectID
    /// The names that it lost, newest first.
    var names: [String]
    /// Why it came into the trash the last time.
    var reason: TrashReason
    /// Seconds since then.
    var age: UInt64
    /// Seconds until gc may remove it.
    var timeLeft: UInt64
  }

  /// The entries that stay in the trash.
  private(set) var kept: [TrashEntry] = []
  /// Snapshots that gc keeps, newest first.
  private(set) var held: [Item] = []
  private(set) var dropped: [Item] = []

  /// `now`: the trash with its clock moved on to this moment. `time`: how long an entry stays, in seconds; nil removes
  /// all entries now.
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
  /// The text that stands where the name of a state would stand: `deleted NAME`.
  var label: String { "\(reason.rawValue) \(name ?? snapshot.short)" }
}
