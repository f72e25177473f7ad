// Timestamps as RFC 3339 text in UTC. The day counts follow "chrono-Compatible Low-Level Date Algorithms" (H. Hinnant).

extension Timestamp {
  /// `2026-06-01T14:00:00.123456789Z`
  package var rfc3339: String {
    var text: [UInt8] = []
    text.reserveCapacity(30)
    appendRFC3339(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The number of bytes of that form in the years 0 to 9999.
  package static var rfc3339Length: Int { 30 }

  /// Appends the same. A list of ten thousand states has ten thousand times.
  package func appendRFC3339(to text: inout [UInt8]) {
    let (days, secondOfDay) = seconds.quotientAndRemainder(dividingBy: 86400)
    let day = secondOfDay < 0 ? days - 1 : days
    let second = secondOfDay < 0 ? secondOfDay + 86400 : secondOfDay
    let date = CalendarDate(daysSince1970: day)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Timestamp.rfc3339Length) { bytes in
      var end = 0
      func put(_ value: Int64, _ width: Int, _ after: Unicode.Scalar) {
        var rest = UInt32(truncatingIfNeeded: value)
        for place in (end..<end + width).reversed() {
          bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        bytes[end + width] = UInt8(ascii: after)
        end += width + 1
      }
      put(date.year, 4, "-")
      put(date.month, 2, "-")
      put(date.day, 2, "T")
      put(second / 3600, 2, ":")
      put(second / 60 % 60, 2, ":")
      put(second % 60, 2, ".")
      put(Int64(nanoseconds), 9, "Z")
      if (0...9999).contains(date.year) { return text.append(contentsOf: bytes) }
      // A year of more digits, or before the year 0, as it is.
      let year = String(date.year.magnitude)
      if date.year < 0 { text.append(UInt8(ascii: "-")) }
      text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, 4 - year.utf8.count)))
      text.append(contentsOf: year.utf8)
      text.append(contentsOf: bytes.dropFirst(4))
    }
  }

  /// Reads the form that `rfc3339` writes. nil for any other text.
  package init?(rfc3339 text: String) {
    self.init(rfc3339: Array(text.utf8)[...])
  }

  package init?(rfc3339 text: ArraySlice<UInt8>) {
    guard let time = text.withUnsafeBufferPointer({ Timestamp(rfc3339: $0) }) else { return nil }
    self = time
  }

  package init?(rfc3339 bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == Timestamp.rfc3339Length, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "."), bytes[29] == UInt8(ascii: "Z"),
      let year = digits(bytes, 0..<4), let month = digits(bytes, 5..<7),
      let day = digits(bytes, 8..<10), let hour = digits(bytes, 11..<13),
      let minute = digits(bytes, 14..<16), let second = digits(bytes, 17..<19),
      let fraction = digits(bytes, 20..<29),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let date = CalendarDate(year: year, month: month, day: day)
    let days = date.daysSince1970
    guard CalendarDate(daysSince1970: days) == date else { return nil }  // for example 30 February
    self.init(
      seconds: days * 86400 + hour * 3600 + minute * 60 + second, nanoseconds: UInt32(fraction))
  }
}

/// A date of the proleptic Gregorian calendar.
package struct CalendarDate: Equatable, Sendable {
  package var year: Int64
  package var month: Int64
  package var day: Int64

  package init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  package init(daysSince1970 days: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days in the month of this date.
  package var daysInMonth: Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  package var daysSince1970: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

/// The number that these digits give. Nil when one of them is none.
private func digits(_ bytes: UnsafeBufferPointer<UInt8>, _ places: Range<Int>) -> Int64? {
  var value: Int64 = 0
  for place in places {
    let digit = bytes[place] &- UInt8(ascii: "0")
    if digit > 9 { return nil }
    value = value &* 10 &+ Int64(digit)
  }
  return value
}
