// The trash: snapshots that lost their name or their step a short time ago. gc keeps them for a time. The newest
// entries are lines of `refs`, so they are committed with the change that made them. Older ones are in lists in trash/.

package import MementoSystem

/// A file in trash/ that holds a list of entries.
package struct TrashList: Equatable, Sendable {
  package var file: ObjectID
  /// How many entries it holds.
  package var count: Int
}

/// The entries of the trash, and the clock that says how long they have been there.
package struct Trash: Equatable, Sendable {
  /// When `refs` hold more entries than this, they are moved to a list, since each commit writes all of them.
  static let longestRecent = 128
  /// For each name, this many of the snapshots that were replaced stay, the newest: a program may save a value a
  /// million times.
  package static let keptReplacements = 100
  /// How long gc keeps an entry, in seconds that the store has seen pass.
  package static let standardTime: UInt64 = 14 * 86400

  /// The time that the store has seen pass. Nil when there are no entries.
  package private(set) var clock: LivedClock?
  /// The lists of older entries, oldest first.
  private(set) var lists: [TrashList] = []
  /// The newest entries as lines of `refs`, oldest first.
  private(set) var recent: [UInt8] = []
  private(set) var recentCount = 0

  package init() {}

  init(clock: LivedClock?, lists: [TrashList], recent: [UInt8], recentCount: Int) {
    self.clock = clock
    self.lists = lists
    self.recent = recent
    self.recentCount = recentCount
  }

  package var isEmpty: Bool { lists.isEmpty && recentCount == 0 }

  /// The names of the lists in trash/.
  package var files: [ObjectID] { lists.map(\.file) }

  /// The entries that are in `refs` itself. Their lines are valid: they were checked when `refs` were read, or made
  /// here.
  var recentEntries: [TrashEntry] { Trash.entries(recent) ?? [] }

  /// Advances the clock to `now`.
  package mutating func tick(_ now: ClockReading) {
    clock = clock?.advanced(to: now) ?? LivedClock(beginning: now)
  }

  /// Adds an entry that has just lost its name or step. The caller has called `tick`.
  mutating func add(_ reason: TrashReason, _ snapshot: ObjectID, name: String?, at time: Timestamp) {
    let entry = TrashEntry(time: time, lived: seconds, reason: reason, snapshot: snapshot, name: name)
    entry.appendLine(to: &recent)
    recentCount += 1
  }

  /// Seconds that the store has seen pass, rounded up.
  package var seconds: UInt64 {
    guard let clock else { return 0 }
    return clock.lived / 1_000_000_000 + (clock.lived % 1_000_000_000 == 0 ? 0 : 1)
  }

  /// How many seconds are left until gc may drop an entry. `time`: how many seconds gc keeps entries. Nil when gc may
  /// drop it now.
  package func timeLeft(_ entry: TrashEntry, of time: UInt64) -> UInt64? {
    let (end, overflow) = entry.lived.addingReportingOverflow(time)
    let now = (clock?.lived ?? 0) / 1_000_000_000
    return overflow || end > now ? end - min(now, end) : nil
  }

  /// The same trash with other lists and entries. It has no clock when there are no entries.
  func with(lists: [TrashList], recent entries: [TrashEntry]) -> Trash {
    var lines: [UInt8] = []
    for entry in entries { entry.appendLine(to: &lines) }
    let isEmpty = lists.isEmpty && entries.isEmpty
    return Trash(clock: isEmpty ? nil : clock, lists: lists, recent: lines, recentCount: entries.count)
  }

  // MARK: Many entries

  /// Removes superfluous entries, and keeps the order. Of entries with the same snapshot and name, the newest stays. Of
  /// the replaced snapshots of a name, the newest `keptReplacements` stay.
  static func merged(_ entries: [TrashEntry]) -> [TrashEntry] {
    struct Key: Hashable {
      var snapshot: ObjectID
      var name: [UInt8]?
    }
    var seen: Set<Key> = []
    var replaced: [[UInt8]: Int] = [:]
    var result: [TrashEntry] = []
    for entry in entries.reversed() {
      let name = entry.name.map { Array($0.utf8) }
      guard seen.insert(Key(snapshot: entry.snapshot, name: name)).inserted else { continue }
      if entry.reason == .replaced, let name {
        let count = replaced[name, default: 0]
        if count == keptReplacements { continue }
        replaced[name] = count + 1
      }
      result.append(entry)
    }
    return result.reversed()
  }

  /// Decodes lines. Nil when one of them is not valid.
  static func entries(_ lines: [UInt8]) -> [TrashEntry]? {
    guard lines.isEmpty || lines.last == UInt8(ascii: "\n") else { return nil }
    var result: [TrashEntry] = []
    for line in lines.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if lines.isEmpty { break }
      guard let entry = TrashEntry(line: line) else { return nil }
      result.append(entry)
    }
    return result
  }
}

extension Refs {
  /// Puts into the trash the snapshots that lost a name or a step of `old`, and advances the clock.
  mutating func keepWhatLeft(_ old: Refs, at now: () -> ClockReading) {
    let left = departures(from: old)
    if left.isEmpty && trash.isEmpty { return }
    let now = now()
    trash.tick(now)
    for (reason, snapshot, name) in left { trash.add(reason, snapshot, name: name, at: now.wall) }
  }

  private func departures(from old: Refs) -> [(TrashReason, ObjectID, String?)] {
    var left: [(TrashReason, ObjectID, String?)] = []
    let changes = states.differences(from: old.states)
    let new = Set(changes.compactMap { $0.before == nil ? $0.now : nil })
    for (name, before, now) in changes {
      guard let before else { continue }
      // The name was deleted and its snapshot has a new name: the state was renamed.
      if now == nil, new.contains(before) { continue }
      left.append((now == nil ? .deleted : .replaced, before, name))
    }
    var dropped = timeline.dropped(from: old.timeline)
    if let gone = old.pending, pending == nil {
      dropped += [gone.target, gone.before].compactMap { id in id.map { ($0, true) } }
    }
    if dropped.isEmpty { return left }
    let kept = roots
    return left
      + dropped.filter { !kept.contains($0.snapshot) }.map { ($0.wasUndone ? .undone : .replaced, $0.snapshot, nil) }
  }
}
