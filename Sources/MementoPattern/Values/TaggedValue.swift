// Types that JSON does not have. Where the JSON form of a value would not show its type, the value is put into an
// object with one key, the tag: {"$date": "2026-06-01T14:00:00.000000000Z"}. See docs/format.md, "values of programs".

internal import MementoTime

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Value {
  private static let dataTag = "$data"
  private static let dateTag = "$date"
  private static let doubleTag = "$double"
  private static let floatTag = "$float"
  /// For a dictionary that itself looks like a tagged value.
  private static let dictionaryTag = "$dictionary"

  /// The value made of null, Bool, Int, Double, String, arrays and dictionaries only.
  var tagged: Value {
    switch self {
    case .null, .bool, .string, .integer(.int, _): self
    case .integer(let type, let value): .dictionary(["$\(type.rawValue)": .string("\(value)")])
    // JSON has only one type of number, and a Double without a fraction would come back as an integer.
    case .double(let value) where !value.isFinite || value == value.rounded():
      .dictionary([Value.doubleTag: .string("\(value)")])
    case .double: self
    case .float(let value): .dictionary([Value.floatTag: .string("\(value)")])
    case .data(let value): .dictionary([Value.dataTag: .string(value.base64EncodedString())])
    case .date(let value): .dictionary([Value.dateTag: .string(ExactDate.text(value))])
    case .array(let values): .array(values.map(\.tagged))
    case .dictionary(let values):
      values.count == 1 && values.keys.allSatisfy { $0.hasPrefix("$") }
        ? .dictionary([Value.dictionaryTag: .dictionary(values.mapValues(\.tagged))])
        : .dictionary(values.mapValues(\.tagged))
    }
  }

  /// The reverse of `tagged`. An object that only looks like a tagged value stays as it is, because another program may
  /// have written it.
  var untagged: Value {
    switch self {
    case .array(let values): return .array(values.map(\.untagged))
    case .dictionary(let values):
      guard values.count == 1, let (tag, content) = values.first, tag.hasPrefix("$") else {
        return .dictionary(values.mapValues(\.untagged))
      }
      return Value.untagged(tag, content) ?? .dictionary([tag: content.untagged])
    default: return self
    }
  }

  private static func untagged(_ tag: String, _ content: Value) -> Value? {
    if tag == dictionaryTag {
      guard case .dictionary(let values) = content else { return nil }
      return .dictionary(values.mapValues(\.untagged))
    }
    guard case .string(let text) = content else { return nil }
    switch tag {
    case doubleTag: return Double(text).map { .double($0) }
    case floatTag: return Float(text).map { .float($0) }
    case dataTag: return Data(base64Encoded: text).map { .data($0) }
    case dateTag: return ExactDate.date(text).map { .date($0) }
    default:
      guard let type = IntegerType(rawValue: String(tag.dropFirst())), let value = Int128(text),
        type.range.contains(value)
      else { return nil }
      return .integer(type, value)
    }
  }
}

/// Dates as text, without loss.
enum ExactDate {
  /// The date in RFC 3339 form in UTC with nanoseconds, if that form is exact. Otherwise the seconds since 2001-01-01.
  /// The form is exact for all dates of the years 0 to 9999, except those within about 14 weeks of 2001-01-01, where a
  /// `Date` can be finer than a nanosecond.
  static func text(_ date: Date) -> String {
    let time = date.timeIntervalSinceReferenceDate
    if abs(time) < 1e12 {
      var seconds = time.rounded(.down)
      var nanoseconds = ((time - seconds) * 1e9).rounded()
      if nanoseconds >= 1e9 {
        seconds += 1
        nanoseconds = 0
      }
      let stamp = Timestamp(seconds: Int64(seconds) + secondsTo2001, nanoseconds: UInt32(nanoseconds))
      let text = stamp.rfc3339
      if self.date(text)?.timeIntervalSinceReferenceDate.bitPattern == time.bitPattern { return text }
    }
    return "\(time)"
  }

  /// The date in a text that `text(_:)` wrote; nil for any other text.
  static func date(_ text: String) -> Date? {
    if let stamp = Timestamp(rfc3339: text) {
      let (seconds, overflows) = stamp.seconds.subtractingReportingOverflow(secondsTo2001)
      guard !overflows else { return nil }
      return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(stamp.nanoseconds) / 1e9)
    }
    return Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// The seconds from 1970-01-01 to 2001-01-01.
  private static let secondsTo2001: Int64 = 978_307_200
}
