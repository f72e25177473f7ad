// A key to print and put into a drawer.

package import Crypto

/// 32 random bytes. On paper they are 56 letters and digits in 14 groups of four: Crockford's base32, which has no I, L,
/// O and U, of the 256 bits, four zero bits and 20 bits of their SHA-256. So a typing error is found, and is not taken
/// for a wrong key.
///
/// `@unchecked`: swift-crypto says only since 4 that `SymmetricKey` is `Sendable`. It is a value, and never changes.
package struct RecoveryKey: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let digitCount = 56

  package let key: SymmetricKey

  /// A new key.
  package init() { key = SymmetricKey(size: .bits256) }

  /// Nil when the key does not have 256 bits.
  package init?(_ key: SymmetricKey) {
    guard key.bitCount == 256 else { return nil }
    self.key = key
  }

  /// Reads what somebody has typed. Case, spaces, newlines and hyphens do not count; O is read as 0, I and L as 1.
  /// Throws `.unusable`, and says what kind of mistake it is.
  package init(text: [UInt8]) throws(SealError) {
    guard text.count <= 4096 else { throw SealError(.unusable, "this is too long for a recovery key") }
    var digits: [UInt8] = []
    for byte in text where ![0x20, 0x09, 0x0a, 0x0d, UInt8(ascii: "-")].contains(byte) {
      let capital = 0x61...0x7a ~= byte ? byte - 0x20 : byte
      let letter: UInt8
      switch capital {
      case UInt8(ascii: "O"): letter = UInt8(ascii: "0")
      case UInt8(ascii: "I"), UInt8(ascii: "L"): letter = UInt8(ascii: "1")
      default: letter = capital
      }
      guard let digit = RecoveryKey.letters.firstIndex(of: letter) else {
        throw SealError(.unusable, "character \(digits.count + 1) of the recovery key is none of a recovery key")
      }
      digits.append(UInt8(digit))
    }
    guard digits.count == RecoveryKey.digitCount else {
      throw SealError(
        .unusable, "a recovery key has \(RecoveryKey.digitCount) letters and digits, and this one has \(digits.count)")
    }
    // 256 bits of key, 4 zero bits, and 20 bits of checksum.
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for digit in digits {
      bits = (bits << 5 | Int(digit)) & 0xFFFF
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    let key = SymmetricKey(data: bytes[..<32])
    guard bytes[32...] == RecoveryKey.checksum(key)[...] else {
      throw SealError(.unusable, "the recovery key has a typing error")
    }
    self.key = key
  }

  /// The key as people write it down, in one line without a newline. As bytes, so that it need not be in a `String`.
  package func text() -> [UInt8] {
    var text: [UInt8] = []
    var bits = 0
    var count = 0
    for byte in key.withUnsafeBytes({ Array($0) }) + RecoveryKey.checksum(key) {
      bits = (bits << 8 | Int(byte)) & 0xFFFF
      count += 8
      while count >= 5 {
        count -= 5
        if text.count % 5 == 4 { text.append(UInt8(ascii: "-")) }
        text.append(RecoveryKey.letters[bits >> count & 31])
      }
    }
    return text
  }

  /// Four zero bits, and the first 20 bits of the SHA-256 of the key.
  private static func checksum(_ key: SymmetricKey) -> [UInt8] {
    let hash = key.withUnsafeBytes { SHA256.hash(data: $0) }.prefix(3)
    let bits = hash.reduce(0) { $0 << 8 | Int($1) } >> 4
    return [UInt8(bits >> 16), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
  }

  package var description: String { "a recovery key" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
