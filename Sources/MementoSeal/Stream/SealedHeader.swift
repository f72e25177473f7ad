// What a reader must know of a sealed object before it can open any part of it.

/// The salt and the size of a sealed object. Whoever notes both, such as an index, saves its readers a request.
package struct SealedHeader: Hashable, Sendable {
  package static let saltSize = 32

  /// Random for each object that is sealed; the key of the object comes from it.
  package let salt: [UInt8]
  /// The size of the content in bytes, without padding.
  package let size: UInt64

  /// Nil when the salt does not have 32 bytes, or the size is more than an object can have.
  package init?(salt: [UInt8], size: UInt64) {
    guard salt.count == SealedHeader.saltSize, size <= SealedStream.maximumSize else { return nil }
    self.salt = salt
    self.size = size
  }

  /// Of a new object, with a new salt.
  init?(size: UInt64) {
    self.init(salt: RandomBytes.make(SealedHeader.saltSize), size: size)
  }

  /// The size of the padded content.
  var padded: UInt64 { PaddedSize.of(size) }

  var segmentCount: UInt64 { SealedStream.segmentCount(padded) }

  /// The bytes of padded content in a segment that is there.
  func contentSize(of segment: UInt64) -> Int {
    Int(min(UInt64(SealedStream.segmentSize), padded - segment * UInt64(SealedStream.segmentSize)))
  }

  /// The size of the object.
  var storedSize: UInt64 {
    UInt64(SealedStream.headerSize) + padded + segmentCount * UInt64(SegmentCipher.tagSize)
  }
}
