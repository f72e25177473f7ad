import MementoSystem
import TestSupport
import Testing

struct CalendarTimeTests {
  @Test(arguments: [
    (Int64(0), UInt32(0), "1970-01-01T00:00:00.000000000Z"),
    (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
    (-86_400, 0, "1969-12-31T00:00:00.000000000Z"),
    (-2_147_483_648, 0, "1901-12-13T20:45:52.000000000Z"),
    (2_147_483_648, 5, "2038-01-19T03:14:08.000000005Z"),
    (951_782_400, 0, "2000-02-29T00:00:00.000000000Z"),
    (1_709_164_800, 0, "2024-02-29T00:00:00.000000000Z"),
    (-2_203_891_200, 0, "1900-03-01T00:00:00.000000000Z"),
    (1_780_322_400, 123_456_789, "2026-06-01T14:00:00.123456789Z"),
    (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
    (-62_167_219_200, 0, "0000-01-01T00:00:00.000000000Z"),
  ])
  func knownTimes(_ seconds: Int64, _ nanoseconds: UInt32, _ text: String) {
    let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    #expect(time.rfc3339 == text)
    #expect(Timestamp(rfc3339: text) == time)
  }

  @Test func anyTimeComesBack() {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let time = Timestamp(
        seconds: Int64.random(in: -62_167_219_200...253_402_300_799, using: &generator),
        nanoseconds: UInt32.random(in: 0..<1_000_000_000, using: &generator))
      #expect(Timestamp(rfc3339: time.rfc3339) == time)
    }
  }

  @Test func textSortsAsTimeDoes() {
    var generator = SplitMix64(seed: 2)
    let times = (0..<500).map { _ in
      Timestamp(
        seconds: Int64.random(in: -3_000_000_000...5_000_000_000, using: &generator),
        nanoseconds: UInt32.random(in: 0..<1_000_000_000, using: &generator))
    }
    #expect(times.sorted().map(\.rfc3339) == times.map(\.rfc3339).sorted())
  }

  @Test func daysFollowEachOther() {
    // Four hundred years around 1970, by the rules of a school book.
    var day = CalendarDate(year: 1770, month: 1, day: 1)
    var number = day.daysSince1970
    while day.year < 2170 {
      #expect(CalendarDate(daysSince1970: number) == day)
      #expect(day.daysSince1970 == number)
      number += 1
      day.day += 1
      if day.day > length(ofMonth: day.month, year: day.year) {
        day.day = 1
        day.month += 1
      }
      if day.month > 12 {
        day.month = 1
        day.year += 1
      }
    }
    #expect(CalendarDate(year: 1970, month: 1, day: 1).daysSince1970 == 0)
  }

  @Test func daysFarAwayComeBack() {
    var generator = SplitMix64(seed: 3)
    for _ in 0..<2000 {
      let day = Int64.random(in: -100_000_000_000...100_000_000_000, using: &generator)
      #expect(CalendarDate(daysSince1970: day).daysSince1970 == day)
    }
  }

  @Test(arguments: [
    "", "now", "2026-06-01", "2026-06-01T14:00:00Z", "2026-06-01T14:00:00.123Z",
    "2026-06-01T14:00:00.123456789", "2026-06-01T14:00:00.123456789z", "2026-06-01 14:00:00.123456789Z",
    "2026-06-01T14:00:00.123456789+00:00", " 2026-06-01T14:00:00.12345678Z", "2026/06/01T14:00:00.123456789Z",
    "2026-00-01T14:00:00.123456789Z", "2026-13-01T14:00:00.123456789Z", "2026-06-00T14:00:00.123456789Z",
    "2026-06-32T14:00:00.123456789Z", "2026-06-01T24:00:00.123456789Z", "2026-06-01T14:60:00.123456789Z",
    "2026-06-01T14:00:61.123456789Z", "-026-06-01T14:00:00.123456789Z", "2026-06-01T14:00:00.12345678éZ",
    "2026-06-01T1+:00:00.123456789Z",
    // Days and seconds that no time is written as.
    "2026-02-29T14:00:00.123456789Z", "2024-02-30T14:00:00.123456789Z", "2026-06-31T14:00:00.123456789Z",
    "1900-02-29T14:00:00.123456789Z", "2026-06-01T14:00:60.123456789Z",
  ])
  func refusesOtherText(_ text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test(arguments: [Int64.min, Int64.max, -62_167_219_201, 253_402_300_800])
  func timesOutsideOfTheFormDoNotTrap(_ seconds: Int64) {
    #expect(!Timestamp(seconds: seconds, nanoseconds: 0).rfc3339.isEmpty)
  }

  private func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}
