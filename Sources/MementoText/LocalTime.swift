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
    // Only a damaged store has a time that the C library cannot convert.
    guard gmtime_r(&seconds, &parts) != nil else { return "@\(time.seconds)" }
    let minutes = abs(offset) / 60
    return pad(Int(parts.tm_year) + 1900, 4) + "-" + pad(Int(parts.tm_mon) + 1) + "-" + pad(Int(parts.tm_mday)) + " "
      + pad(Int(parts.tm_hour)) + ":" + pad(Int(parts.tm_min)) + ":" + pad(Int(parts.tm_sec)) + " "
      + (offset < 0 ? "-" : "+") + pad(minutes / 60) + pad(minutes % 60)
  }

  private static func pad(_ value: Int, _ width: Int = 2) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
