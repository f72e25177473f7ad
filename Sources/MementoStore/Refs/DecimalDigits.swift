// The numbers in the lines of `refs`. There may be thousands, so none is made a string of.

enum DecimalDigits {
  /// Appends the digits of a number, without zeros before it.
  static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    let start = bytes.count
    var rest = number
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// The number that digits give. Nil when there are none, or more than 20, when a byte is none, and when the number does
  /// not fit.
  static func number(_ digits: some Collection<UInt8>) -> UInt64? {
    if digits.isEmpty || digits.count > 20 { return nil }
    var value: UInt64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = shifted.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
      if isTooLarge || overflows { return nil }
      value = sum
    }
    return value
  }
}
