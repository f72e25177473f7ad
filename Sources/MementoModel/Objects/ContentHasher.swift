// Computes ids from bytes.

internal import Crypto

extension ObjectID {
  /// The SHA-256 of the bytes.
  package init(hashing bytes: UnsafeRawBufferPointer) {
    var hasher = SHA256()
    hasher.update(bufferPointer: bytes)
    self = hasher.finalize().withUnsafeBytes { ObjectID(loading: $0.baseAddress!) }
  }

  package init(hashing bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ObjectID(hashing: $0) }
  }
}

/// Computes the SHA-256 of bytes that are added in pieces.
///
/// `@unchecked`: swift-crypto says only since 4 that `SHA256` is `Sendable`. It is a value.
package struct ContentHasher: @unchecked Sendable {
  private var hasher = SHA256()

  package init() {}

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    hasher.update(bufferPointer: bytes)
  }

  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
  }

  package func finish() -> ObjectID {
    hasher.finalize().withUnsafeBytes { ObjectID(loading: $0.baseAddress!) }
  }
}
