// Which parts of the packs a check reads: all, a share of them that is another one each time, or what was not read for
// long.

package import MementoSystem

package struct ReadingPlan: Sendable {
  /// From where a pack is read, and how many of its bytes at most.
  package struct Part: Equatable, Sendable {
    package var from: UInt64
    package var budget: UInt64
  }

  package private(set) var parts: [ObjectID: Part] = [:]

  /// Reads nothing.
  package init() {}

  /// `packs`: what is there. `percent`: of all their bytes. `before`: only packs of which something was not read since
  /// then. What was read in part goes on first, then what was never read, then what was read the longest time ago.
  package init(
    _ packs: [(id: ObjectID, size: UInt64)], _ record: VerificationRecord, percent: Double, before: Timestamp?
  ) {
    let total = packs.reduce(0.0) { $0 + Double($1.size) }
    // Another part each time, however small the share.
    var left = percent >= 100 ? UInt64.max : max(1, UInt64(total * percent / 100))
    let due = packs.filter { pack in
      guard let before, let read = record.packs[pack.id]?.read else { return true }
      return read < before
    }
    let isWhole = percent >= 100 && before == nil
    let order = due.sorted { left, right in
      let (one, two) = (record.packs[left.id], record.packs[right.id])
      let (isBegun, isOtherBegun) = (one?.begun != nil, two?.begun != nil)
      if isBegun != isOtherBegun { return isBegun }
      let (read, otherRead) = (one?.read ?? .distantPast, two?.read ?? .distantPast)
      return read == otherRead ? left.id < right.id : read < otherRead
    }
    for pack in order where left > 0 {
      let from = isWhole ? 0 : min(record.packs[pack.id]?.offset ?? 0, pack.size)
      let rest = max(pack.size - from, 1)
      parts[pack.id] = Part(from: from, budget: min(left, rest))
      left -= min(left, rest)
    }
  }
}
