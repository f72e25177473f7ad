// The key of one object.

internal import Crypto
internal import MementoObjects

/// Seals and opens the header and the segments of one object. The key comes from the master key and the salt, the name
/// is authenticated with every part, and the nonce says which part it is. So no part can stand for another one, of this
/// object or of another.
///
/// `@unchecked`: swift-crypto says only since 4 that `SymmetricKey` is `Sendable`. It is a value, and never changes.
struct ObjectCipher: @unchecked Sendable {
  private enum Part {
    case segment(UInt64, isLast: Bool)
    case size

    /// The number of the segment (u64), what it is (u8), and three zero bytes.
    var nonce: [UInt8] {
      switch self {
      case .segment(let number, let isLast): nonce(number, isLast ? 1 : 0)
      case .size: nonce(0, 2)
      }
    }

    private func nonce(_ number: UInt64, _ flag: UInt8) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) } + [flag, 0, 0, 0]
    }
  }

  private let key: SymmetricKey
  private let context: [UInt8]

  /// `name`: the name under which the object is stored.
  init(_ master: MasterKey, salt: [UInt8], name: ObjectName) {
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: master.objects, salt: salt, info: SealedStream.title, outputByteCount: 32)
    context = Array(name.text.utf8)
  }

  /// The bytes of the header.
  func seal(_ header: SealedHeader) -> [UInt8] {
    SealedStream.title + header.salt
      + withUnsafeBytes(of: header.size.littleEndian) {
        SegmentCipher.seal($0, using: key, nonce: Part.size.nonce, authenticating: context)
      }
  }

  /// The size in a header. Nil when it was changed.
  func openSize(_ sealed: UnsafeRawBufferPointer) -> UInt64? {
    var size: UInt64 = 0
    let isOpen = withUnsafeMutableBytes(of: &size) {
      SegmentCipher.open(sealed, using: key, nonce: Part.size.nonce, authenticating: context, 0..<8, into: $0)
    }
    return isOpen ? UInt64(littleEndian: size) : nil
  }

  /// Seals a segment of `header`. `content` may lie at the beginning of `output`.
  func seal(
    _ content: UnsafeRawBufferPointer, as segment: UInt64, of header: SealedHeader,
    into output: UnsafeMutableRawBufferPointer
  ) {
    SegmentCipher.seal(
      content, using: key, nonce: Part.segment(segment, isLast: segment == header.segmentCount - 1).nonce,
      authenticating: context, into: output)
  }

  /// Puts the bytes `range` of the content of a segment into `output`. False when the segment was changed.
  func open(
    _ sealed: UnsafeRawBufferPointer, as segment: UInt64, of header: SealedHeader, _ range: Range<Int>,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    SegmentCipher.open(
      sealed, using: key, nonce: Part.segment(segment, isLast: segment == header.segmentCount - 1).nonce,
      authenticating: context, range, into: output)
  }
}
