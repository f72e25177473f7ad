// Which of several points in time a policy keeps, and why. It works as restic's `forget`: of each calendar period that has
// one, the newest is kept, for so many of the newest periods as the policy says.

internal import MementoTime

/// A policy of what to keep: so many of the newest, of the newest of each hour, day, week, month and year, and all within
/// an age.
public struct PrunePolicy: Equatable, Sendable {
  /// Keep all of a kind.
  public static let unlimited = Int.max

  /// So many of the newest.
  public var last = 0
  /// The newest of each of so many hours that have one; the same for the other periods.
  public var hourly = 0
  /// Days begin at midnight by local time.
  public var daily = 0
  /// Weeks are those of ISO 8601: they begin on Monday.
  public var weekly = 0
  /// Months of the calendar.
  public var monthly = 0
  /// Years of the calendar.
  public var yearly = 0
  /// All that are not older than the newest by more than this age, such as `30d`; see `DateReader`.
  public var within: String?

  /// A policy that keeps nothing.
  public init() {}

  /// Whether it keeps nothing at all.
  public var isEmpty: Bool { self == PrunePolicy() }

  /// Why each of these times is kept, such as `daily 2026-11-20`; without a reason it is not. Of equal times the first
  /// counts as the newest. Nil when `within` is not an age. `dates`: for the local zone.
  public func reasons(for times: [SnapshotTime], _ dates: DateReader) -> [[String]]? {
    var reasons = [[String]](repeating: [], count: times.count)
    let order = times.indices.sorted { (times[$1], $0) < (times[$0], $1) }
    guard let newest = order.first.map({ times[$0] }) else { return within.map(dates.isAge) == false ? nil : reasons }
    var start: SnapshotTime?
    if let within {
      guard let time = dates.time(within, before: newest) else { return nil }
      start = time
    }
    var buckets = Bucket.all(self)
    for index in order {
      let time = times[index]
      if let within, let start, time >= start { reasons[index].append("within \(within)") }
      let moment = LocalMoment(time, offset: dates.zoneOffset(time.seconds))
      for bucket in buckets.indices {
        if let reason = buckets[bucket].take(moment, isOldest: index == order.last) { reasons[index].append(reason) }
      }
    }
    return reasons
  }
}

/// One rule of a policy while times are looked at, the newest first.
private struct Bucket {
  let kind: String
  let period: CalendarPeriod?
  var left: Int
  /// The periods that have one. Where clocks were put back, a period may come again after another one.
  private var seen: Set<String> = []

  private init(_ kind: String, _ period: CalendarPeriod?, _ count: Int) {
    self.kind = kind
    self.period = period
    left = count
  }

  static func all(_ policy: PrunePolicy) -> [Bucket] {
    [
      Bucket("last", nil, policy.last), Bucket("hourly", .hour, policy.hourly), Bucket("daily", .day, policy.daily),
      Bucket("weekly", .week, policy.weekly), Bucket("monthly", .month, policy.monthly),
      Bucket("yearly", .year, policy.yearly),
    ].filter { $0.left > 0 }
  }

  /// The reason to keep a time; nil when this rule has none. Where periods are left over at the end, the oldest is kept in
  /// their place, as restic does: a policy of seven days keeps what it was given on the first day.
  mutating func take(_ moment: LocalMoment, isOldest: Bool) -> String? {
    guard left > 0 else { return nil }
    guard let period else {
      if left != PrunePolicy.unlimited { left -= 1 }
      return kind
    }
    let label = period.label(moment)
    let isNew = seen.insert(period == .hour ? "\(label) \(moment.offset)" : label).inserted
    guard isNew || isOldest else { return nil }
    if left != PrunePolicy.unlimited { left -= 1 }
    return isNew ? "\(kind) \(label)" : "oldest \(kind) \(label)"
  }
}
