// Splits bytes that are mostly UTF-8 into scalars and bytes that are not UTF-8.

package enum TextUnit: Equatable {
  case scalar(Unicode.Scalar)
  case byte(UInt8)

  package static func units(of bytes: [UInt8]) -> [TextUnit] {
    var units: [TextUnit] = []
    units.reserveCapacity(bytes.count)
    var position = 0
    while position < bytes.count {
      let end = position + length(lead: bytes[position])
      if end <= bytes.count, let text = String(validating: bytes[position..<end], as: UTF8.self),
        let scalar = text.unicodeScalars.first
      {
        units.append(.scalar(scalar))
        position = end
      } else {
        units.append(.byte(bytes[position]))
        position += 1
      }
    }
    return units
  }

  /// The length in bytes of the UTF-8 sequence that starts with `lead`; 1 if none can.
  private static func length(lead: UInt8) -> Int {
    switch lead {
    case 0xC0...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xFF: 4
    default: 1
    }
  }
}
