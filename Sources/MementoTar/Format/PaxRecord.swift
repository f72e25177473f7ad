// The records of a pax header: `LENGTH KEY=VALUE` and a line break, where the length counts all of it.

package enum PaxRecord {
  package static func encode(_ key: some Collection<UInt8>, _ value: some Collection<UInt8>, into out: inout [UInt8]) {
    // A space, an equals sign and a line break.
    let rest = key.count + value.count + 3
    var length = rest + 1
    // The length counts its own digits.
    while String(length).utf8.count + rest != length { length = rest + String(length).utf8.count }
    out += Array(String(length).utf8)
    out.append(UInt8(ascii: " "))
    out += Array(key)
    out.append(UInt8(ascii: "="))
    out += Array(value)
    out.append(UInt8(ascii: "\n"))
  }

  package static func encode(_ key: String, _ value: String, into out: inout [UInt8]) {
    encode(Array(key.utf8), Array(value.utf8), into: &out)
  }

  /// Calls `body` with each record. Returns false when the bytes are not records.
  package static func decode(
    _ bytes: [UInt8], _ body: (_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void
  ) -> Bool {
    var start = 0
    while start < bytes.count {
      // Some programs pad with NULs.
      if bytes[start] == 0 { return bytes[start...].allSatisfy { $0 == 0 } }
      var place = start
      var length = 0
      while place < bytes.count, let digit = decimalDigit(bytes[place]) {
        guard length <= bytes.count else { return false }
        length = length * 10 + digit
        place += 1
      }
      guard place > start, place < bytes.count, bytes[place] == UInt8(ascii: " "), length <= bytes.count - start,
        length > place + 1 - start
      else { return false }
      let end = start + length
      guard bytes[end - 1] == UInt8(ascii: "\n") else { return false }
      let record = bytes[(place + 1)..<(end - 1)]
      guard let equals = record.firstIndex(of: UInt8(ascii: "=")), equals > record.startIndex else { return false }
      body(record[..<equals], record[(equals + 1)...])
      start = end
    }
    return true
  }

  private static func decimalDigit(_ byte: UInt8) -> Int? {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
  }

  /// A decimal number without a sign. Nil: none, or more than 64 bits.
  package static func number(_ text: some Sequence<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    var isEmpty = true
    for byte in text {
      guard let digit = decimalDigit(byte) else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { return nil }
      value = sum
      isEmpty = false
    }
    return isEmpty ? nil : value
  }
}
