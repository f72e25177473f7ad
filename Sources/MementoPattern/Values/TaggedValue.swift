// Types that JSON does not have. A value whose type its JSON form would not tell is put into an object with one key, the
// tag: {"$date": "2026-06-01T14:00:00.000000000Z"}. See docs/format.md, "values of programs".

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
  /// A dictionary that looks like a tagged value itself.
  private static let dictionaryTag = "$dictionary"

  /// The value in terms of null, Bool, Int, Double, String, arrays and dictionaries.
  var tagged: Value {
    switch self {
    case .null, .bool, .string, .integer(.int, _): self
    case .integer(let type, let value): .dictionary(["$\(type.rawValue)": .string("\(value)")])
    // JSON has one type of number: without a fraction it is an integer.
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

  /// The reverse of `tagged`. What only looks like a tag stays as it is: it may come from another program.
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

/// Dates as text, exactly.
enum ExactDate {
  /// RFC 3339 in UTC with nanoseconds where that is exact, as it is for all dates but those within weeks of 2001 and those
  /// beyond the year 9999; else the seconds since 2001-01-01.
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

  static func date(_ text: String) -> Date? {
    if let stamp = Timestamp(rfc3339: text) {
      let (seconds, overflows) = stamp.seconds.subtractingReportingOverflow(secondsTo2001)
      guard !overflows else { return nil }
      return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(stamp.nanoseconds) / 1e9)
    }
    return Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// From 1970 to 2001.
  private static let secondsTo2001: Int64 = 978_307_200
}
