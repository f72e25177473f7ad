// The trash: snapshots that lost their name or their step. gc keeps them for a time. The newest entries are lines of
// `refs`, so they are committed with the change that made them. Older ones are in lists in trash/.

internal import MementoSystem

/// A file in trash/ that holds a list of entries.
package struct TrashList: Equatable, Sendable {
  package var file: ObjectID
  /// How many entries it holds.
  package var count: Int
}

/// The entries of the trash. The clock of `refs` says how long they have been there.
package struct Trash: Equatable, Sendable {
  /// When `refs` hold more entries than this, they are moved to a list, since each commit writes all of them.
  static let longestRecent = 128
  /// For each name, this many of the snapshots that were replaced stay, the newest: a program may save a value a
  /// million times.
  package static let keptReplacements = 100
  /// The lists of older entries, oldest first.
  private(set) var lists: [TrashList] = []
  /// The newest entries as lines of `refs`, oldest first.
  private(set) var recent: [UInt8] = []
  private(set) var recentCount = 0

  package init() {}

  init(lists: [TrashList], recent: [UInt8], recentCount: Int) {
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

  /// Adds an entry.
  mutating func add(_ entry: TrashEntry) {
    entry.appendLine(to: &recent)
    recentCount += 1
  }

  /// The same trash with other lists and entries.
  func with(lists: [TrashList], recent entries: [TrashEntry]) -> Trash {
    var lines: [UInt8] = []
    for entry in entries { entry.appendLine(to: &lines) }
    return Trash(lists: lists, recent: lines, recentCount: entries.count)
  }

  // MARK: Many entries

  /// Removes superfluous entries, and keeps the order. Of entries with the same snapshot and name, the newest stays; of
  /// those that passed, too. Of the replaced snapshots of a name, the newest `keptReplacements` stay.
  static func merged(_ entries: [TrashEntry]) -> [TrashEntry] {
    struct Key: Hashable {
      var snapshot: ObjectID
      var name: [UInt8]?
      /// gc keeps such an entry for another time than the others.
      var hasPassed: Bool
    }
    var seen: Set<Key> = []
    var replaced: [[UInt8]: Int] = [:]
    var result: [TrashEntry] = []
    for entry in entries.reversed() {
      let name = entry.name.map { Array($0.utf8) }
      let key = Key(snapshot: entry.snapshot, name: name, hasPassed: entry.reason == .passed)
      guard seen.insert(key).inserted else { continue }
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
  /// Puts into the trash the snapshots that lost a name or a step of `old`, advances the clock, and gives new steps
  /// their ages.
  mutating func keepWhatLeft(_ old: Refs, at now: () -> ClockReading) {
    let left = departures(from: old)
    if left.isEmpty, !needsClock {
      clock = nil
      return
    }
    let now = now()
    let clock = clock?.advanced(to: now) ?? LivedClock(beginning: now)
    self.clock = clock
    forEachTimeline { $0.stamp(clock.seconds) }
    for departure in left {
      // A step of an earlier version has no age: it counts from now.
      let (time, lived) = departure.since ?? (now.wall, nil)
      trash.add(
        TrashEntry(
          time: time, lived: lived ?? clock.seconds, reason: departure.reason, snapshot: departure.snapshot,
          name: departure.name))
    }
  }

  /// Drops the oldest steps, which go nowhere. Throws when a timeline does not begin with them, or when one is current:
  /// somebody has changed it.
  mutating func expire(_ steps: ExpiredSteps) throws(StoreError) {
    try timeline.expire(steps.own)
    for (id, steps) in steps.forks {
      guard let index = forks.firstIndex(where: { $0.id == id }) else {
        throw .system(operation: "write", path: "refs", .stale)
      }
      try forks[index].timeline.expire(steps)
    }
  }

  /// Something that lost a name or a step.
  private struct Departure {
    var reason: TrashReason
    var snapshot: ObjectID
    var name: String?
    /// When its step came, if that counts and not the present.
    var since: (time: Timestamp, lived: UInt64?)?
  }

  private func departures(from old: Refs) -> [Departure] {
    var left: [Departure] = []
    let changes = states.differences(from: old.states)
    let new = Set(changes.compactMap { $0.before == nil ? $0.now : nil })
    for (name, before, now) in changes {
      guard let before else { continue }
      // The name was deleted and its snapshot has a new name: the state was renamed.
      if now == nil, new.contains(before) { continue }
      left.append(Departure(reason: now == nil ? .deleted : .replaced, snapshot: before, name: name))
    }
    var dropped = Refs.departures(of: timeline, pending, from: old.timeline, old.pending)
    for fork in old.forks {
      if let now = self[fork: fork.id] {
        dropped += Refs.departures(of: now.timeline, now.pending, from: fork.timeline, fork.pending)
      } else {
        // Its steps are kept as if they had passed on: as long as any that has no name.
        dropped += fork.timeline.steps.map { step in
          Departure(reason: .passed, snapshot: step.snapshot, since: (step.time, step.lived))
        }
        dropped += Refs.departures(of: FolderTimeline(), nil, from: FolderTimeline(), fork.pending)
      }
    }
    // A full timeline loses one step with each save, so the names are asked for this one alone.
    if dropped.count <= 2 { return left + dropped.filter { !keeps($0.snapshot) } }
    let kept = roots
    return left + dropped.filter { !kept.contains($0.snapshot) }
  }

  /// What left the steps of one folder, and its pending restore.
  private static func departures(
    of timeline: FolderTimeline, _ pending: PendingRestore?, from old: FolderTimeline, _ oldPending: PendingRestore?
  ) -> [Departure] {
    var dropped = timeline.dropped(from: old).map { step, reason in
      Departure(
        reason: reason, snapshot: step.snapshot, since: reason == .passed ? (step.time, step.lived) : nil)
    }
    if let gone = oldPending, pending == nil {
      dropped += [gone.target, gone.before].compactMap { id in id.map { Departure(reason: .undone, snapshot: $0) } }
    }
    return dropped
  }
}
