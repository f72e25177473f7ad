// Arguments are bytes, the parser wants text. Bytes that are not UTF-8 travel through it as scalars at the very end of
// Unicode (U+10FF00 + byte), and come out again as the bytes they were. A genuine scalar of that range, of which nobody
// has ever seen one, travels byte by byte in the same way, so that every argument comes out exactly as it came in.

enum ArgumentBytes {
  private static let firstCarrier: UInt32 = 0x10_FF00

  /// Text that stands for these bytes.
  static func encode(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for unit in TextUnit.units(of: bytes) {
      switch unit {
      case .scalar(let scalar) where scalar.value < firstCarrier: text.append(scalar)
      case .scalar(let scalar): text.append(contentsOf: String(scalar).utf8.map(carrier))
      case .byte(let byte): text.append(carrier(byte))
      }
    }
    return String(text)
  }

  /// The bytes that a text stands for.
  static func decode(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if scalar.value >= firstCarrier {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes.append(contentsOf: String(scalar).utf8)
      }
    }
    return bytes
  }

  private static func carrier(_ byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(firstCarrier + UInt32(byte)) ?? "\u{FFFD}"
  }
}
