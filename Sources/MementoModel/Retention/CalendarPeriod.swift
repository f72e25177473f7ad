// Hours, days, weeks, months and years by local time, and how they are written.

internal import MementoTime

/// A moment as local clocks show it.
struct LocalMoment {
  let date: CalendarDate
  /// Days since 1970, by local time.
  let day: Int64
  let hour: Int64
  /// Seconds east of UTC. Of the two hours that clocks show twice in autumn, each has its own.
  let offset: Int

  init(_ time: SnapshotTime, offset: Int) {
    // Only a forged record has a time that is so far away.
    let seconds = time.seconds.addingReportingOverflow(Int64(offset)).partialValue
    let rest = seconds % 86400
    day = seconds / 86400 - (rest < 0 ? 1 : 0)
    hour = (rest < 0 ? rest + 86400 : rest) / 3600
    date = CalendarDate(daysSince1970: day)
    self.offset = offset
  }
}

enum CalendarPeriod {
  case hour
  case day
  case week
  case month
  case year

  /// The period that a moment is in: `2026-11-20 14:00`, `2026-11-20`, `2026-W47`, `2026-11` or `2026`.
  func label(_ moment: LocalMoment) -> String {
    let date = moment.date
    let month = "\(padded(date.year, 4))-\(padded(date.month, 2))"
    switch self {
    case .hour: return "\(month)-\(padded(date.day, 2)) \(padded(moment.hour, 2)):00"
    case .day: return "\(month)-\(padded(date.day, 2))"
    case .week: return CalendarPeriod.week(of: moment.day)
    case .month: return month
    case .year: return padded(date.year, 4)
    }
  }

  /// A week belongs to the year in which its Thursday is (ISO 8601).
  private static func week(of day: Int64) -> String {
    let weekday = ((day + 3) % 7 + 7) % 7  // 1970-01-01 was a Thursday; 0 is Monday
    let thursday = day - weekday + 3
    let year = CalendarDate(daysSince1970: thursday).year
    let first = CalendarDate(year: year, month: 1, day: 1).daysSince1970
    return "\(padded(year, 4))-W\(padded((thursday - first) / 7 + 1, 2))"
  }
}

private func padded(_ value: Int64, _ width: Int) -> String {
  let text = String(value)
  return String(repeating: "0", count: max(0, width - text.count)) + text
}
