import MementoModel
import MementoTime
import Testing

/// Times as RFC 3339 text.
struct TimestampTextTests {
  @Test(
    arguments: [
      (0, 0, "1970-01-01T00:00:00.000000000Z"), (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
      (951_825_600, 5, "2000-02-29T12:00:00.000000005Z"), (-62_167_219_200, 0, "0000-01-01T00:00:00.000000000Z"),
      (253_402_300_799, 1, "9999-12-31T23:59:59.000000001Z"),
    ] as [(Int64, UInt32, String)])
  func comesBack(_ seconds: Int64, _ nanoseconds: UInt32, _ text: String) {
    let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    #expect(time.rfc3339 == text)
    #expect(Timestamp(rfc3339: text) == time)
  }

  /// A file system may give such times. Their text is for people and programs, and in no store.
  @Test(
    arguments: [
      (253_402_300_800, "10000-01-01T00:00:00.000000000Z"), (-62_167_219_201, "-0001-12-31T23:59:59.000000000Z"),
      (-62_198_755_200, "-0001-01-01T00:00:00.000000000Z"),
    ] as [(Int64, String)])
  func yearsOfOtherLengthsAreWritten(_ seconds: Int64, _ text: String) {
    #expect(Timestamp(seconds: seconds, nanoseconds: 0).rfc3339 == text)
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test(arguments: [
    "", "2026-06-01T14:00:00.123456789", "2026-06-01t14:00:00.123456789Z", "2026-06-31T14:00:00.123456789Z",
    "2026-13-01T14:00:00.123456789Z", "2026-06-01T24:00:00.123456789Z", "2026-06-01T14:60:00.123456789Z",
    "2026-06-01T14:00:60.123456789Z", "2026-06-01T14:00:00.12345678 Z", "+026-06-01T14:00:00.123456789Z",
  ])
  func anythingElseIsRefused(_ text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }
}
