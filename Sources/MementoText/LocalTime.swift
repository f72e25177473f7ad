// Times for people: in local time, with the offset from UTC.

package import MementoModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package enum LocalTime {
  /// A time as `2026-06-01 14:00:05 +0200`. `offset` is in seconds east of UTC.
  package static func text(_ time: SnapshotTime, offset: Int) -> String {
    var seconds = time_t(time.seconds.addingReportingOverflow(Int64(offset)).partialValue)
    var parts = tm()
    // Only a damaged store has a time that the C library cannot convert, or one before the year 0.
    guard gmtime_r(&seconds, &parts) != nil, parts.tm_year >= -1900 else { return "@\(time.seconds)" }
    let minutes = abs(offset) / 60
    var text: [UInt8] = []
    text.reserveCapacity(25)
    append(Int(parts.tm_year) + 1900, 4, to: &text)
    append("-", Int(parts.tm_mon) + 1, to: &text)
    append("-", Int(parts.tm_mday), to: &text)
    append(" ", Int(parts.tm_hour), to: &text)
    append(":", Int(parts.tm_min), to: &text)
    append(":", Int(parts.tm_sec), to: &text)
    append(offset < 0 ? " -" : " +", minutes / 60, to: &text)
    append(minutes % 60, 2, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ before: String, _ value: Int, to text: inout [UInt8]) {
    text += before.utf8
    append(value, 2, to: &text)
  }

  /// Appends a number that is not negative, with zeros before it. A list has ten thousand times, so no number becomes a
  /// string.
  private static func append(_ value: Int, _ width: Int, to text: inout [UInt8]) {
    var scale = 1
    for _ in 1..<width { scale *= 10 }
    while value / scale > 9 { scale *= 10 }
    while scale > 0 {
      text.append(UInt8(ascii: "0") + UInt8(value / scale % 10))
      scale /= 10
    }
  }
}
