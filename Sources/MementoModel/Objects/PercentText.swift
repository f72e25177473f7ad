// Encodes any bytes as printable ASCII without spaces: the percent-encoding of RFC 3986.

package enum PercentText {
  /// Keeps printable ASCII apart from the space and `%`. Every other byte becomes %xx.
  @inlinable package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      if byte > 0x20, byte < 0x7f, byte != UInt8(ascii: "%") {
        result.append(byte)
      } else {
        result.append(contentsOf: "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes a text. Nil when a % is not followed by two hex digits.
  @inlinable package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

  @inlinable package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue)
      else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }
}
