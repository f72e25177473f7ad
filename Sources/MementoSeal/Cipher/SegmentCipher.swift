// AES-256-GCM on bytes in memory. All of swift-crypto's AES is called from here.

internal import Crypto

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Seals bytes and opens them again.
enum SegmentCipher {
  static let tagSize = 16
  static let nonceSize = 12
  /// For a key that seals one thing only.
  static let zeroNonce = [UInt8](repeating: 0, count: nonceSize)

  /// Seals `bytes` into `output`, which has 16 bytes more. `bytes` may lie at the beginning of `output`.
  static func seal(
    _ bytes: UnsafeRawBufferPointer, using key: SymmetricKey, nonce: [UInt8], authenticating context: [UInt8],
    into output: UnsafeMutableRawBufferPointer
  ) {
    precondition(output.count == bytes.count + tagSize)
    do {
      let box = try AES.GCM.seal(bytes, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
      // The nonce stands before ciphertext and tag in the combined form, which every nonce of 12 bytes has.
      box.combined?.withUnsafeBytes { (combined: UnsafeRawBufferPointer) in
        output.copyMemory(from: UnsafeRawBufferPointer(rebasing: combined[nonceSize...]))
      }
    } catch {
      // It throws for keys and nonces of another size only, and these have their size from this module.
      preconditionFailure("AES-256-GCM: \(error)")
    }
  }

  /// Opens `sealed` and puts its bytes `range` into `output`. False when anything was changed; then nothing was put.
  static func open(
    _ sealed: UnsafeRawBufferPointer, using key: SymmetricKey, nonce: [UInt8], authenticating context: [UInt8],
    _ range: Range<Int>, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard sealed.count >= tagSize, range.upperBound <= sealed.count - tagSize, output.count == range.count else {
      return false
    }
    do {
      let end = sealed.count - tagSize
      let box = try AES.GCM.SealedBox(
        nonce: AES.GCM.Nonce(data: nonce), ciphertext: UnsafeRawBufferPointer(rebasing: sealed[..<end]),
        tag: UnsafeRawBufferPointer(rebasing: sealed[end...]))
      let bytes = try AES.GCM.open(box, using: key, authenticating: context)
      bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
        output.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
      return true
    } catch {
      return false  // The sizes are right, so it is the tag that is not.
    }
  }

  /// The bytes sealed, and the tag.
  static func seal(
    _ bytes: UnsafeRawBufferPointer, using key: SymmetricKey, nonce: [UInt8], authenticating context: [UInt8]
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: bytes.count + tagSize) { buffer, count in
      count = bytes.count + tagSize
      seal(
        bytes, using: key, nonce: nonce, authenticating: context,
        into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
    }
  }

  /// The bytes sealed, and the tag.
  static func seal(
    _ bytes: [UInt8], using key: SymmetricKey, nonce: [UInt8], authenticating context: [UInt8]
  ) -> [UInt8] {
    bytes.withUnsafeBytes { seal($0, using: key, nonce: nonce, authenticating: context) }
  }

  /// What was sealed, in memory that is wiped when it is freed. Nil when anything was changed.
  static func open(
    _ sealed: [UInt8], using key: SymmetricKey, nonce: [UInt8], authenticating context: [UInt8]
  ) -> SymmetricKey? {
    do {
      let end = sealed.count - tagSize
      guard end >= 0 else { return nil }
      let box = try AES.GCM.SealedBox(
        nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed[..<end], tag: sealed[end...])
      return SymmetricKey(data: try AES.GCM.open(box, using: key, authenticating: context))
    } catch {
      return nil  // The sizes are right, so it is the tag that is not.
    }
  }
}
