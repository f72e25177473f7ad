// Reads and writes lengths of time: `90s`, `30min`, `2h`, `30d`, `3w`, `6mo`, `1y`. The units are those of dates, but a
// length has no calendar: a month and a year are the longest that there are.

package enum AgeText {
  private static let units: [(name: String, seconds: UInt64)] = [
    ("s", 1), ("min", 60), ("h", 3600), ("d", 86400), ("w", 7 * 86400), ("mo", 31 * 86400), ("y", 366 * 86400),
  ]
  /// A thousand years: nothing that is added to such a length overflows.
  private static let longest: UInt64 = 1000 * 366 * 86400

  /// The length in seconds. Nil for any other text, and for more than a thousand years.
  package static func seconds(_ text: some StringProtocol) -> UInt64? {
    let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty, let count = UInt64(String(decoding: Array(digits), as: UTF8.self)) else { return nil }
    let name = String(decoding: Array(text.utf8.dropFirst(digits.count)), as: UTF8.self)
    guard let unit = units.first(where: { $0.name == name }) else { return nil }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit.seconds)
    return overflow || seconds > longest ? nil : seconds
  }

  /// The text of a length, in days, hours, minutes or seconds, whichever is exact.
  package static func text(_ seconds: UInt64) -> String {
    for (name, unit) in [("d", 86400), ("h", 3600), ("min", 60)] as [(String, UInt64)]
    where seconds >= unit && seconds % unit == 0 {
      return "\(seconds / unit)\(name)"
    }
    return "\(seconds)s"
  }
}
