// What the user has that opens a slot.

internal import Crypto

/// The ways to open a slot.
package struct SlotKind: Hashable, Sendable {
  /// The word in the text of the slot.
  package let word: String

  package static let passphrase = SlotKind(word: "passphrase")
  package static let keyFile = SlotKind(word: "file")
  package static let recoveryKey = SlotKind(word: "recovery")

  static let all = [passphrase, keyFile, recoveryKey]
}

/// A passphrase, the content of a key file, or a recovery key. It stands in no description.
///
/// `@unchecked`: swift-crypto says only since 4 that `SymmetricKey` is `Sendable`. It is a value, and never changes.
package struct SlotSecret: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  package let kind: SlotKind
  let bytes: SymmetricKey

  /// The longest passphrase or key file, in bytes.
  package static let maximumSize = 65536
  /// The shortest key file. What is in it is not stretched, so it must not be guessable.
  package static let minimumFileSize = 32

  private init(_ kind: SlotKind, _ bytes: SymmetricKey) {
    self.kind = kind
    self.bytes = bytes
  }

  /// A passphrase as bytes: what the user typed, without the newline. Throws `.unusable` when it is empty or too long.
  package static func passphrase(_ bytes: [UInt8]) throws(SealError) -> SlotSecret {
    let key = SymmetricKey(data: bytes)
    guard key.bitCount > 0 else { throw SealError(.unusable, "the passphrase is empty") }
    guard key.bitCount <= maximumSize * 8 else {
      throw SealError(.unusable, "the passphrase has more than \(maximumSize) bytes")
    }
    return SlotSecret(.passphrase, key)
  }

  /// The whole content of a key file: 32 random bytes or more. Throws `.unusable` when it is shorter, or too long.
  package static func keyFile(_ bytes: [UInt8]) throws(SealError) -> SlotSecret {
    let key = SymmetricKey(data: bytes)
    guard minimumFileSize * 8...maximumSize * 8 ~= key.bitCount else {
      throw SealError(.unusable, "a key file has \(minimumFileSize) to \(maximumSize) bytes")
    }
    return SlotSecret(.keyFile, key)
  }

  package static func recoveryKey(_ key: RecoveryKey) -> SlotSecret { SlotSecret(.recoveryKey, key.key) }

  package var description: String { "a \(kind.word)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
