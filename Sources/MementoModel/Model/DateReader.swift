// Dates and ages as people write them. `--since`, `--until` and `NAME@{2h}` all use this reader.

internal import MementoTime

/// Reads dates. The caller supplies the time and the time zone, so it reads neither a clock nor the environment.
public struct DateReader: Sendable {
  /// The current time, from which ages are counted.
  public var now: @Sendable () -> SnapshotTime
  /// The offset of local time from UTC in seconds, positive in the east, at a time in seconds since 1970.
  public var zoneOffset: @Sendable (Int64) -> Int

  /// The accepted forms, for messages.
  public static let forms = "write 2026-06-01, \"2026-06-01 14:00\", RFC 3339, or an age: 90s 30min 2h 7d 3w 6mo 1y"

  /// `zoneOffset`: UTC if it is not given.
  public init(
    now: @escaping @Sendable () -> SnapshotTime, zoneOffset: @escaping @Sendable (Int64) -> Int = { _ in 0 }
  ) {
    self.now = now
    self.zoneOffset = zoneOffset
  }

  /// Which end is meant by a text that stands for more than a moment: by a day, or by a time without a fraction of a
  /// second. The first or the last nanosecond of it.
  public enum Edge: Sendable {
    case start
    case end
  }

  /// The time in a text: RFC 3339, `YYYY-MM-DD[ HH:MM[:SS]]` in local time or with the offset that memento prints, or
  /// an age such as `2h`. Nil for any other text.
  public func time(_ text: String, _ edge: Edge) -> SnapshotTime? {
    age(text, before: now()) ?? date(text, edge)
  }

  /// The time that is an age such as `2h` before another time. Nil for a text that is no age.
  public func time(_ age: String, before moment: SnapshotTime) -> SnapshotTime? {
    self.age(age, before: moment)
  }

  /// Whether a text is an age such as `2h`.
  public func isAge(_ text: String) -> Bool {
    age(text, before: SnapshotTime(seconds: 0, nanoseconds: 0)) != nil
  }

  // MARK: Ages

  /// Seconds, minutes and hours are durations. Days and longer units go back in the calendar, to the same time of day.
  private func age(_ text: String, before now: SnapshotTime) -> SnapshotTime? {
    let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let count = Int64(String(digits) ?? ""), count <= 1_000_000_000_000 else { return nil }
    var seconds = now.seconds
    switch String(text.utf8.dropFirst(digits.count)) {
    case "s": seconds = seconds.lowered(by: count)
    case "min": seconds = seconds.lowered(by: count * 60)
    case "h": seconds = seconds.lowered(by: count * 3600)
    case "d": return moved(now, days: count)
    case "w": return moved(now, days: count * 7)
    case "mo": return moved(now, months: count)
    case "y": return moved(now, months: count * 12)
    default: return nil
    }
    return SnapshotTime(seconds: seconds, nanoseconds: now.nanoseconds)
  }

  private func moved(_ time: SnapshotTime, days: Int64) -> SnapshotTime? {
    guard days <= 4_000_000 else { return nil }
    return utc(local(time).lowered(by: days * 86400), time.nanoseconds)
  }

  /// The same day of an earlier month, or the last day of that month: one month before 31 May is 30 April.
  private func moved(_ time: SnapshotTime, months: Int64) -> SnapshotTime? {
    guard months <= 100_000 else { return nil }
    let local = local(time)
    let day = local.dividedDown(by: 86400)
    var date = CalendarDate(daysSince1970: day)
    let month = date.year * 12 + date.month - 1 - months
    date.year = month.dividedDown(by: 12)
    date.month = month - date.year * 12 + 1
    date.day = min(date.day, date.daysInMonth)
    return utc(local.lowered(by: (day - date.daysSince1970) * 86400), time.nanoseconds)
  }

  // MARK: Dates

  private func date(_ text: String, _ edge: Edge) -> SnapshotTime? {
    var rest = DateText(text)
    guard let year = rest.number(4), rest.skip("-"), let month = rest.number(2), rest.skip("-"),
      let day = rest.number(2)
    else { return nil }
    let date = CalendarDate(year: year, month: month, day: day)
    guard (1...12).contains(month), (1...date.daysInMonth).contains(day) else { return nil }
    var second: Int64 = 0
    var nanoseconds: UInt32?
    var offset: Int64?
    if rest.isAtEnd, edge == .end {
      // The last nanosecond before the next day begins, which may be 23 or 25 hours later.
      return SnapshotTime(seconds: utc((date.daysSince1970 + 1) * 86400, 0).seconds - 1, nanoseconds: 999_999_999)
    }
    if !rest.isAtEnd {
      guard rest.skip("T") || rest.skip("t") || rest.skip(" "), let hour = rest.number(2), hour < 24, rest.skip(":"),
        let minute = rest.number(2), minute < 60
      else { return nil }
      second = hour * 3600 + minute * 60
      if rest.skip(":") {
        // RFC 3339 allows a second 60. The system clock has no leap seconds, so this becomes the next second.
        guard let value = rest.number(2), value <= 60 else { return nil }
        second += value
        if rest.skip(".") {
          guard let fraction = rest.fraction() else { return nil }
          nanoseconds = fraction
        }
      }
      if !rest.isAtEnd {
        guard let zone = rest.zone() else { return nil }
        offset = zone
      }
    }
    guard rest.isAtEnd else { return nil }
    let fraction = nanoseconds ?? (edge == .start ? 0 : 999_999_999)
    let wall = date.daysSince1970 * 86400 + second
    return offset.map { SnapshotTime(seconds: wall - $0, nanoseconds: fraction) } ?? utc(wall, fraction)
  }

  // MARK: The zone

  private func local(_ time: SnapshotTime) -> Int64 {
    time.seconds.lowered(by: -Int64(zoneOffset(time.seconds)))
  }

  /// The time at which local clocks show `wall`, in seconds since 1970 as if it were UTC. If they show it twice, the
  /// first time. If they are put forward past it, the time at which they would have shown it without that.
  private func utc(_ wall: Int64, _ nanoseconds: UInt32) -> SnapshotTime {
    let before = Int64(zoneOffset(wall.lowered(by: 86400)))
    let after = Int64(zoneOffset(wall.lowered(by: -86400)))
    let isAfter =
      Int64(zoneOffset(wall.lowered(by: before))) != before && Int64(zoneOffset(wall.lowered(by: after))) == after
    return SnapshotTime(seconds: wall.lowered(by: isAfter ? after : before), nanoseconds: nanoseconds)
  }
}

/// The part of a date that is not read yet.
private struct DateText {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = Substring(text).utf8
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads a number of exactly `width` digits. Nil when there are fewer.
  mutating func number(_ width: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<width {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// Reads one to nine digits after the decimal point of a second, as nanoseconds.
  mutating func fraction() -> UInt32? {
    guard var value = digit() else { return nil }
    var scale: Int64 = 100_000_000
    value *= scale
    while scale > 1, let next = digit() {
      scale /= 10
      value += next * scale
    }
    return UInt32(value)
  }

  /// Reads `Z`, `+02:00` or ` +0200`, as seconds east of Greenwich.
  mutating func zone() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    _ = skip(" ")
    let isWest = rest.first == UInt8(ascii: "-")
    guard skip("+") || skip("-"), let hours = number(2), hours < 24 else { return nil }
    _ = skip(":")
    guard let minutes = number(2), minutes < 60 else { return nil }
    return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
  }

  private mutating func digit() -> Int64? {
    guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    rest.removeFirst()
    return Int64(byte - UInt8(ascii: "0"))
  }
}

extension Int64 {
  /// The difference, or the limit that it would pass: only a forged record has a time that is so far away.
  fileprivate func lowered(by other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }

  /// The quotient rounded down, also for negative numbers.
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
