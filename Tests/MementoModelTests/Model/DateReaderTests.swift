// Dates as people write them.

import TestSupport
import Testing

@testable import MementoModel

struct DateReaderTests {
  /// The time is 2026-06-01T12:00:00.5Z, in a zone two hours east of UTC.
  private let reader = DateReader(
    now: { SnapshotTime(seconds: 1_780_315_200, nanoseconds: 500_000_000) }, zoneOffset: { _ in 7200 })

  private func text(_ written: String, _ edge: DateReader.Edge = .start) -> String? {
    reader.time(written, edge)?.rfc3339
  }

  @Test(arguments: [
    ("2026-06-01", "2026-05-31T22:00:00.000000000Z"), ("2026-06-01 14:00", "2026-06-01T12:00:00.000000000Z"),
    ("2026-06-01 14:00:05", "2026-06-01T12:00:05.000000000Z"), ("2026-06-01T14:00", "2026-06-01T12:00:00.000000000Z"),
    ("2026-06-01T14:00:05Z", "2026-06-01T14:00:05.000000000Z"),
    ("2026-06-01t14:00:05z", "2026-06-01T14:00:05.000000000Z"),
    ("2026-06-01T14:00:05.25Z", "2026-06-01T14:00:05.250000000Z"),
    ("2026-06-01T14:00:05.123456789+02:00", "2026-06-01T12:00:05.123456789Z"),
    ("2026-06-01T14:00:05-05:30", "2026-06-01T19:30:05.000000000Z"),
    ("2026-06-01 14:00:05 +0200", "2026-06-01T12:00:05.000000000Z"), ("2024-02-29", "2024-02-28T22:00:00.000000000Z"),
    ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000000000Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000000Z"),
  ])
  func datesAreRead(_ written: String, _ expected: String) {
    #expect(text(written) == expected)
  }

  /// The times that memento prints can be read.
  @Test func itsOwnTimesAreRead() {
    let time = SnapshotTime(seconds: 1_780_315_205, nanoseconds: 7)
    #expect(reader.time(time.rfc3339, .start) == time)
    #expect(reader.time(time.rfc3339, .end) == time)
  }

  @Test func withoutAFractionAWholeSecondIsMeant() {
    #expect(text("2026-06-01 14:00:05", .end) == "2026-06-01T12:00:05.999999999Z")
    #expect(text("2026-06-01 00:00", .end) == "2026-05-31T22:00:00.999999999Z")
    #expect(text("2026-06-01T14:00:05.0Z", .end) == "2026-06-01T14:00:05.000000000Z")
  }

  /// A day as an end is all of it, also where it has 23 or 25 hours.
  @Test func aDayEndsWithItsLastMoment() {
    #expect(text("2026-06-01", .start) == "2026-05-31T22:00:00.000000000Z")
    #expect(text("2026-06-01", .end) == "2026-06-01T21:59:59.999999999Z")
    let summer = (1_774_746_000...1_792_889_999)
    let local = DateReader(now: reader.now, zoneOffset: { summer.contains(Int($0)) ? 7200 : 3600 })
    #expect(local.time("2026-03-29", .end)?.rfc3339 == "2026-03-29T21:59:59.999999999Z")
    #expect(local.time("2026-10-25", .end)?.rfc3339 == "2026-10-25T22:59:59.999999999Z")
    #expect(local.time("2026-02-28", .end)?.rfc3339 == "2026-02-28T22:59:59.999999999Z")
  }

  @Test func agesCountFromAnyTime() {
    let time = SnapshotTime(seconds: 1_780_272_000, nanoseconds: 7)  // 2026-06-01
    #expect(reader.time("1d", before: time)?.rfc3339 == "2026-05-31T00:00:00.000000007Z")
    #expect(reader.time("2026-06-01", before: time) == nil)
    #expect(reader.isAge("6mo") && !reader.isAge("2026-06-01") && !reader.isAge("") && !reader.isAge("5"))
  }

  @Test(arguments: [
    ("0s", "2026-06-01T12:00:00.500000000Z"), ("90s", "2026-06-01T11:58:30.500000000Z"),
    ("30min", "2026-06-01T11:30:00.500000000Z"), ("2h", "2026-06-01T10:00:00.500000000Z"),
    ("7d", "2026-05-25T12:00:00.500000000Z"), ("3w", "2026-05-11T12:00:00.500000000Z"),
    ("6mo", "2025-12-01T12:00:00.500000000Z"), ("1y", "2025-06-01T12:00:00.500000000Z"),
    ("18mo", "2024-12-01T12:00:00.500000000Z"), ("0100d", "2026-02-21T12:00:00.500000000Z"),
  ])
  func agesCountFromNow(_ written: String, _ expected: String) {
    #expect(text(written) == expected)
    #expect(text(written, .end) == expected)
  }

  @Test func aMonthBeforeItsLastDay() {
    let last = DateReader(now: { SnapshotTime(seconds: 1_780_272_000 - 86400, nanoseconds: 0) })  // 2026-05-31
    #expect(last.time("1mo", .start)?.rfc3339 == "2026-04-30T00:00:00.000000000Z")
    #expect(last.time("3mo", .start)?.rfc3339 == "2026-02-28T00:00:00.000000000Z")
  }

  /// Clocks are put forward from 2:00 to 3:00 on 2026-03-29, and back from 3:00 to 2:00 on 2026-10-25, both at 1:00
  /// UTC.
  @Test(arguments: [
    ("2026-03-29 01:59:59", "2026-03-29T00:59:59.000000000Z"), ("2026-03-29 02:30", "2026-03-29T01:30:00.000000000Z"),
    ("2026-03-29 03:00", "2026-03-29T01:00:00.000000000Z"), ("2026-10-25 02:30", "2026-10-25T00:30:00.000000000Z"),
    ("2026-10-25 03:00", "2026-10-25T02:00:00.000000000Z"), ("2026-10-25 01:59", "2026-10-24T23:59:00.000000000Z"),
  ])
  func clocksAreChanged(_ written: String, _ expected: String) {
    let summer = (1_774_746_000...1_792_889_999)
    let local = DateReader(now: reader.now, zoneOffset: { summer.contains(Int($0)) ? 7200 : 3600 })
    #expect(local.time(written, .start)?.rfc3339 == expected)
  }

  /// One day ago is the same time of day, even if the day had only 23 hours.
  @Test func daysAreThoseOfTheCalendar() {
    let change: Int64 = 1_774_746_000
    let now = change + 36000
    let reader = DateReader(
      now: { SnapshotTime(seconds: now, nanoseconds: 0) }, zoneOffset: { $0 >= change ? 7200 : 3600 })
    #expect(reader.time("1d", .start)?.seconds == now - 23 * 3600)
    #expect(reader.time("24h", .start)?.seconds == now - 24 * 3600)
  }

  @Test(arguments: [
    "", " ", "x", "1", "h", "-1h", "+1h", "1.5h", "1 h", "2H", "2m", "2hours", "1h30min", "now", "2026", "2026-06",
    "2026-6-1", "2026-13-01", "2026-00-01", "2026-02-29", "2026-06-31", "2026-06-00", "2026-06-01 ", "2026-06-01 14",
    "2026-06-01 24:00", "2026-06-01 14:60", "2026-06-01 14:00:61", "2026-06-01 14:00:05.",
    "2026-06-01 14:00:05.1234567890",
    "2026-06-01 14:00 +2", "2026-06-01 14:00 +02:60", "2026-06-01 14:00 x", "2026-06-01Z", "20260601", "٢٠٢٦-06-01",
    "99999999999999999999s", "9999999999999s", "99999999999y", "9223372036854775807d", "2h\n", "２h",
  ])
  func otherTextIsNone(_ written: String) {
    #expect(text(written) == nil)
  }
}
