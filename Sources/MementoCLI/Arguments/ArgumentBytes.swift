// The argument parser takes text, but arguments are bytes. A byte that is not part of valid UTF-8 is encoded as one of
// the last scalars of Unicode (U+10FF00 + byte), and decoded to the same byte afterwards. A real scalar of that range
// is encoded byte by byte in the same way. So every argument is decoded to exactly the bytes that it had.

enum ArgumentBytes {
  private static let firstCarrier: UInt32 = 0x10_FF00

  /// Encodes any bytes as text.
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

  /// The bytes that `encode` got.
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
