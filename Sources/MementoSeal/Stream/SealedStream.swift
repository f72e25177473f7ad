// The form of a sealed object: a header, and then segments that are sealed one by one. docs/format.md describes it.

/// The arithmetic of sealed objects. Sizes and offsets are in bytes.
package enum SealedStream {
  /// The first bytes of each sealed object.
  static let title = Array("memento sealed 1".utf8)
  /// Title, salt, and the sealed size of the content.
  package static let headerSize = 16 + SealedHeader.saltSize + sizeSize
  static let sizeSize = 8 + SegmentCipher.tagSize
  /// The bytes of content in a segment; the last one may have fewer.
  package static let segmentSize = 65536
  static let sealedSegmentSize = segmentSize + SegmentCipher.tagSize
  /// The longest content: 4 TiB.
  package static let maximumSize: UInt64 = 1 << 42

  /// The size of the object that seals a content of `size` bytes. Nil when that is too long. It tells whether a listed
  /// object can be whole, without reading it.
  package static func storedSize(of size: UInt64) -> UInt64? {
    guard size <= maximumSize else { return nil }
    let padded = PaddedSize.of(size)
    return UInt64(headerSize) + padded + segmentCount(padded) * UInt64(SegmentCipher.tagSize)
  }

  /// The number of segments of a padded content. There is always one.
  static func segmentCount(_ padded: UInt64) -> UInt64 {
    max(1, (padded + UInt64(segmentSize) - 1) / UInt64(segmentSize))
  }

  /// Where a segment begins in the object.
  static func start(of segment: UInt64) -> UInt64 {
    UInt64(headerSize) + segment * UInt64(sealedSegmentSize)
  }
}
