// The number by which repositories are told apart.

internal import Crypto

/// 16 random bytes. In text, 32 hexadecimal digits in lower case.
package struct RepositoryID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package static let byteCount = 16

  package let bytes: [UInt8]

  /// A new id.
  package init() {
    bytes = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
  }

  /// Nil when there are not 16 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == RepositoryID.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Nil when the text is not 32 digits.
  package init?(_ text: String) {
    guard let bytes = Hexadecimal.bytes(Array(text.utf8)) else { return nil }
    self.init(bytes: bytes)
  }

  package static func < (left: RepositoryID, right: RepositoryID) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  package var description: String { String(decoding: Hexadecimal.text(bytes), as: UTF8.self) }
}
