// What lost its name or its step a short while ago: gc keeps it for a time. The newest entries are lines of `refs`, so that
// they are committed with the change that made them; older ones are in lists of their own, in trash/.

package import MementoSystem

/// A file in trash/ with entries that are too many for `refs`.
package struct TrashList: Equatable, Sendable {
  package var file: ObjectID
  /// How many entries it holds.
  package var count: Int
}

package struct Trash: Equatable, Sendable {
  /// More entries than this are not kept in `refs` itself: each commit writes them all.
  static let longestRecent = 128
  /// Of the snapshots that a name meant one after the other, so many stay, the newest: a program may save a value a million
  /// times.
  package static let keptReplacements = 100
  /// How long gc keeps an entry, in seconds that the store has seen pass.
  package static let standardTime: UInt64 = 14 * 86400

  /// Nil when there are no entries.
  package private(set) var clock: LivedClock?
  /// The oldest first.
  private(set) var lists: [TrashList] = []
  /// The newest entries as lines of `refs`, the oldest first.
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

  /// The files in trash/ that these entries are in.
  package var files: [ObjectID] { lists.map(\.file) }

  /// The entries that are in `refs` itself. Their lines were understood when `refs` were read, or were made here.
  var recentEntries: [TrashEntry] { Trash.entries(recent) ?? [] }

  /// Lets the time pass that has passed.
  package mutating func tick(_ now: ClockReading) {
    clock = clock?.advanced(to: now) ?? LivedClock(beginning: now)
  }

  /// Adds what came now; `tick` was called.
  mutating func add(_ reason: TrashReason, _ snapshot: ObjectID, name: String?, at time: Timestamp) {
    let entry = TrashEntry(time: time, lived: seconds, reason: reason, snapshot: snapshot, name: name)
    entry.appendLine(to: &recent)
    recentCount += 1
  }

  /// Whole seconds that have passed, begun ones included.
  package var seconds: UInt64 {
    guard let clock else { return 0 }
    return clock.lived / 1_000_000_000 + (clock.lived % 1_000_000_000 == 0 ? 0 : 1)
  }

  /// How many seconds are left until gc may drop what came then; nil when it may now.
  package func timeLeft(_ entry: TrashEntry, of time: UInt64) -> UInt64? {
    let (end, overflow) = entry.lived.addingReportingOverflow(time)
    let now = (clock?.lived ?? 0) / 1_000_000_000
    return overflow || end > now ? end - min(now, end) : nil
  }

  /// The same trash with its entries elsewhere; nothing is left of the clock when there are none.
  func with(lists: [TrashList], recent entries: [TrashEntry]) -> Trash {
    var lines: [UInt8] = []
    for entry in entries { entry.appendLine(to: &lines) }
    let isEmpty = lists.isEmpty && entries.isEmpty
    return Trash(clock: isEmpty ? nil : clock, lists: lists, recent: lines, recentCount: entries.count)
  }

  // MARK: Many entries

  /// Of entries of one snapshot under one name the newest, and of what a name meant one after the other the newest few. In
  /// the order in which they came.
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

  /// Lines as entries; nil when one of them is not understood.
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
  /// Puts into the trash what `old` kept by a name or a step and these do not.
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
      // A state that was renamed is where it was.
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
