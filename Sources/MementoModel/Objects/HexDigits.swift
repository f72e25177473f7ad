// Converts hex digits to numbers and back, eight at a time. Each byte of a word is a digit; the first digit is the
// highest byte.

package enum HexDigits {
  @inlinable static var high: UInt64 { 0x8080_8080_8080_8080 }

  /// A word in which all eight bytes are `byte`.
  @inlinable static func eight(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Sets the high bit of each byte that is at least `value`, which is below 128. It is meaningful only for bytes below
  /// 128. Setting all high bits first keeps a byte from borrowing from the next one.
  @inlinable static func atLeast(_ value: UInt8, _ word: UInt64) -> UInt64 {
    (word | high) &- eight(value)
  }

  /// Whether a word is eight hex digits in lower case.
  @inlinable package static func areLowerCase(_ word: UInt64) -> Bool {
    let digits = atLeast(UInt8(ascii: "0"), word) & ~atLeast(UInt8(ascii: "9") + 1, word)
    let letters = atLeast(UInt8(ascii: "a"), word) & ~atLeast(UInt8(ascii: "f") + 1, word)
    return (digits | letters) & ~word & high == high
  }

  /// The number that eight hex digits give, in upper or lower case. Nil when one of them is not a digit.
  static func value(_ word: UInt64) -> UInt32? {
    // The bit 0x20 turns a capital letter into a small one. Digits do not have the bit 0x40, so they stay as they are.
    let capitals = word & eight(0x40)
    guard areLowerCase(word | capitals >> 1) else { return nil }
    var nibbles = (word & eight(0x0f)) &+ (capitals >> 6) &* 9
    nibbles = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: nibbles | nibbles >> 16)
  }

  /// The eight digits of a number, in lower case.
  static func text(_ number: UInt32) -> UInt64 {
    var nibbles = UInt64(number)
    nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles << 4) & eight(0x0f)
    // 1 in each byte that is ten or more: in ASCII, "a" is 39 further from "9" than the next digit would be.
    let letters = (nibbles &+ eight(6)) >> 4 & eight(1)
    return nibbles &+ eight(0x30) &+ letters &* 39
  }
}

/// The value of a hex digit in upper or lower case. Nil for any other byte.
@inlinable package func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}
