// Seals an object while it is read.

internal import Crypto
package import MementoObjects
internal import Synchronization

/// A sealed object as a source: its bytes are made from those of another source when they are asked for, from anywhere,
/// and are the same each time. For this, the other source must give the same bytes each time as well: two contents that
/// were sealed with one salt would give each other away.
package final class Sealer: ObjectSource {
  package let header: SealedHeader
  /// In bytes, of the sealed object.
  package let size: UInt64

  private let source: any ObjectSource
  private let cipher: ObjectCipher
  private let sealedHeader: [UInt8]
  /// The last segment of which only a part was wanted. The next read often wants the rest.
  private let last = Mutex<(segment: UInt64, bytes: [UInt8])?>(nil)

  /// `name`: the name under which the object will be stored. `salt`: 32 bytes for a source that was sealed with them
  /// before; new ones when it is left out. Throws `.local` when the source is longer than an object can be.
  package init(
    _ source: any ObjectSource, as name: ObjectName, _ master: MasterKey, salt: [UInt8]? = nil
  ) throws(ObjectError) {
    guard
      let header = salt.map({ SealedHeader(salt: $0, size: source.size) }) ?? SealedHeader(size: source.size)
    else { throw ObjectError(.local, name, "an object has at most \(SealedStream.maximumSize) bytes") }
    self.header = header
    size = header.storedSize
    self.source = source
    cipher = ObjectCipher(master, salt: header.salt, name: name)
    sealedHeader = cipher.seal(header)
  }

  /// Of the sealed bytes. All of them are made for it.
  package func contentHash() throws(ObjectError) -> [UInt8]? {
    var hasher = SHA256()
    hasher.update(data: sealedHeader)
    // Whole segments at a time.
    try forEachPiece(
      of: SealedStream.sealedSegmentSize * Sealer.segmentsAtOnce, from: UInt64(SealedStream.headerSize)
    ) { hasher.update(bufferPointer: $0) }
    return Array(hasher.finalize())
  }

  private static let segmentsAtOnce = 16

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
    guard offset <= size, UInt64(buffer.count) <= size - offset else {
      throw ObjectError(.local, nil, "there are no such bytes")
    }
    var filled = 0
    if offset < SealedStream.headerSize {
      filled = min(buffer.count, SealedStream.headerSize - Int(offset))
      sealedHeader.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<filled])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + filled]))
      }
    }
    while filled < buffer.count {
      let place = offset + UInt64(filled) - UInt64(SealedStream.headerSize)
      let (segment, inside) = place.quotientAndRemainder(dividingBy: UInt64(SealedStream.sealedSegmentSize))
      let length = header.contentSize(of: segment) + SegmentCipher.tagSize
      let count = min(length - Int(inside), buffer.count - filled)
      let output = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count])
      if count == length {
        try seal(segment, into: output)
      } else {
        try copy(segment, Int(inside)..<Int(inside) + count, into: output)
      }
      filled += count
    }
  }

  /// Fills `output` with a whole sealed segment.
  private func seal(_ segment: UInt64, into output: UnsafeMutableRawBufferPointer) throws(ObjectError) {
    let start = segment * UInt64(SealedStream.segmentSize)
    let content = UnsafeMutableRawBufferPointer(rebasing: output[..<(output.count - SegmentCipher.tagSize)])
    // What is left of the content, and zeros up to the padded size.
    let count = start < header.size ? Int(min(UInt64(content.count), header.size - start)) : 0
    if count > 0 {
      try source.read(into: UnsafeMutableRawBufferPointer(rebasing: content[..<count]), at: start)
    }
    UnsafeMutableRawBufferPointer(rebasing: content[count...]).initializeMemory(as: UInt8.self, repeating: 0)
    cipher.seal(UnsafeRawBufferPointer(content), as: segment, of: header, into: output)
  }

  /// Fills `output` with a part of a sealed segment.
  private func copy(
    _ segment: UInt64, _ range: Range<Int>, into output: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) {
    let length = header.contentSize(of: segment) + SegmentCipher.tagSize
    let isCopied = last.withLock { last in
      guard let last, last.segment == segment else { return false }
      last.bytes.withUnsafeBytes { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
      return true
    }
    guard !isCopied else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
    defer { buffer.deallocate() }
    try seal(segment, into: buffer)
    output.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[range]))
    let bytes = Array(buffer)
    last.withLock { $0 = (segment, bytes) }
  }
}
