// Numbers with units, for people.

package enum Quantity {
  private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  /// `0 B`, `1023 B`, `1.0 KiB`, `1.2 MiB`.
  package static func bytes(_ count: UInt64) -> String {
    guard count >= 1024 else { return "\(count) B" }
    var value = Double(count) / 1024
    var unit = 0
    // 1023.95 would be rounded to 1024.0, so it is written as 1.0 of the next unit.
    while value >= 1023.95 && unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// An age, for example `5s`, `3min`, `2h`, `15d`.
  package static func age(_ seconds: UInt64) -> String {
    switch seconds {
    case ..<60: "\(seconds)s"
    case ..<3600: "\(seconds / 60)min"
    case ..<172_800: "\(seconds / 3600)h"
    default: "\(seconds / 86400)d"
    }
  }

  /// `1 file`, `2 files`.
  package static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(plural ?? noun + "s")"
  }
}
