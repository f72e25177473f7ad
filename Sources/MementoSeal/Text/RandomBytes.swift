// Bytes that nobody can guess.

internal import Crypto

/// Random bytes for salts, names and nonces, from the generator of keys.
enum RandomBytes {
  static func make(_ count: Int) -> [UInt8] {
    SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
  }
}
