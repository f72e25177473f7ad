// Reads parts of a sealed object.

package import MementoObjects

/// Reads any range of one sealed object, and checks all that it gives. It gets the segments of a range, and no others,
/// in one request, and keeps none. Everything that is not exactly what was sealed under this name with this key is
/// `ObjectError.Kind.damaged`: another key, a changed bit, an object that was cut, extended, or put in the place of
/// another.
package struct SealedReader: Sendable {
  /// Reads bytes of the object, from an offset on, until the buffer is full or the object ends. Returns how many.
  package typealias Fetch = @Sendable (UInt64, UnsafeMutableRawBufferPointer) throws(ObjectError) -> Int

  /// The most segments that are fetched at once: 16 MiB.
  package static let longestRun: UInt64 = 256
  /// Without the header, a read that begins before this segment fetches all from the beginning on: one request instead
  /// of two.
  private static let nearSegments: UInt64 = 4

  private let name: ObjectName
  private let master: MasterKey
  private let fetch: Fetch

  /// `name`: the name under which the object is stored.
  package init(_ name: ObjectName, _ master: MasterKey, fetch: @escaping Fetch) {
    self.name = name
    self.master = master
    self.fetch = fetch
  }

  /// Reads an object of a storage of sealed bytes.
  package init(_ name: ObjectName, _ master: MasterKey, in storage: any ObjectStorage) {
    self.init(name, master) { (offset, buffer) throws(ObjectError) in
      try storage.read(name, at: offset, into: buffer)
    }
  }

  /// Reads and checks the header.
  package func header() throws(ObjectError) -> SealedHeader {
    try opened(at: 0, count: SealedStream.headerSize) { (bytes) throws(ObjectError) in try parse(bytes) }
  }

  /// Reads content from `offset` on until the buffer is full or the content ends. `header` is nil when it is not known
  /// yet. Returns how much was read, and the header.
  package func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer, header known: SealedHeader? = nil
  ) throws(ObjectError) -> (count: Int, header: SealedHeader) {
    let first = offset / UInt64(SealedStream.segmentSize)
    if let known {
      return (try read(at: offset, into: buffer, known), known)
    }
    guard first < SealedReader.nearSegments else {
      let header = try header()
      return (try read(at: offset, into: buffer, header), header)
    }
    // The header and the segments up to the end of the range, as far as one run goes.
    let inside = UInt64(buffer.count) + offset
    let segments = min(inside / UInt64(SealedStream.segmentSize) + 1, SealedReader.longestRun)
    let (header, count) = try opened(at: 0, count: Int(SealedStream.start(of: segments)) + 1) {
      (bytes) throws(ObjectError) in
      let header = try parse(bytes)
      let segments = min(segments, header.segmentCount)
      return (header, try open(bytes, from: 0, header, first..<max(first, segments), at: offset, into: buffer))
    }
    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
    return (count + (try read(at: offset + UInt64(count), into: rest, header)), header)
  }

  private func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer, _ header: SealedHeader
  ) throws(ObjectError) -> Int {
    var filled = 0
    while filled < buffer.count, offset < header.size, offset + UInt64(filled) < header.size {
      let place = offset + UInt64(filled)
      let first = place / UInt64(SealedStream.segmentSize)
      let end = min(header.size, place + UInt64(buffer.count - filled))
      let segments = first..<min((end - 1) / UInt64(SealedStream.segmentSize) + 1, first + SealedReader.longestRun)
      let start = SealedStream.start(of: segments.lowerBound)
      // One byte more at the end of the object: there must be none.
      let isEnd = segments.upperBound == header.segmentCount
      let stop = isEnd ? header.storedSize + 1 : SealedStream.start(of: segments.upperBound)
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      filled += try opened(at: start, count: Int(stop - start)) { (bytes) throws(ObjectError) in
        try open(bytes, from: start, header, segments, at: place, into: rest)
      }
    }
    return filled
  }

  /// Calls `body` with the bytes of the object from `start` on: `count` of them, or fewer where the object ends.
  private func opened<Value>(
    at start: UInt64, count: Int, _ body: (UnsafeRawBufferPointer) throws(ObjectError) -> Value
  ) throws(ObjectError) -> Value {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    let got = try fetch(start, buffer)
    guard 0...count ~= got else { throw ObjectError(.garbled, name, "\(name) has more bytes than were asked for") }
    return try body(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
  }

  private func parse(_ bytes: UnsafeRawBufferPointer) throws(ObjectError) -> SealedHeader {
    guard bytes.count >= SealedStream.headerSize else { throw damaged("is too short for a sealed object") }
    guard bytes.starts(with: SealedStream.title) else {
      // Any other byte than the digit of a later version is damage.
      let digit = bytes[SealedStream.title.count - 1]
      guard bytes.starts(with: SealedStream.title.dropLast()), (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(digit)
      else { throw damaged("is not a sealed object") }
      throw ObjectError(.newer, name, "\(name) was sealed by a newer version")
    }
    let salt = Array(bytes[SealedStream.title.count..<SealedStream.title.count + SealedHeader.saltSize])
    let sealed = bytes[SealedStream.title.count + SealedHeader.saltSize..<SealedStream.headerSize]
    guard
      let size = ObjectCipher(master, salt: salt, name: name).openSize(UnsafeRawBufferPointer(rebasing: sealed)),
      let header = SealedHeader(salt: salt, size: size)
    else { throw changed() }
    return header
  }

  /// Opens segments. `bytes` are those of the object from `start` on, at or before the first segment, and end with the
  /// last segment, after it, or where the object ends. Returns how much of the content was put into `buffer`.
  private func open(
    _ bytes: UnsafeRawBufferPointer, from start: UInt64, _ header: SealedHeader, _ segments: Range<UInt64>,
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) -> Int {
    guard start + UInt64(bytes.count) <= header.storedSize else { throw damaged("is longer than it should be") }
    let cipher = ObjectCipher(master, salt: header.salt, name: name)
    var filled = 0
    for segment in segments {
      let place = Int(SealedStream.start(of: segment) - start)
      let length = header.contentSize(of: segment)
      guard bytes.count >= place + length + SegmentCipher.tagSize else {
        throw damaged("is shorter than it should be")
      }
      // The part of the segment that is wanted. Padding is not, and neither is what the buffer has no room for.
      let begin = segment * UInt64(SealedStream.segmentSize)
      let content = header.size > begin ? Int(min(UInt64(length), header.size - begin)) : 0
      let lower = min(content, offset > begin ? Int(min(offset - begin, UInt64(length))) : 0)
      let upper = min(content, lower + buffer.count - filled)
      let isOpen = cipher.open(
        UnsafeRawBufferPointer(rebasing: bytes[place..<place + length + SegmentCipher.tagSize]), as: segment,
        of: header, lower..<upper,
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + upper - lower]))
      guard isOpen else { throw changed() }
      filled += upper - lower
    }
    return filled
  }

  private func damaged(_ what: String) -> ObjectError { ObjectError(.damaged, name, "\(name) \(what)") }

  private func changed() -> ObjectError {
    damaged("was changed, or sealed with another key or under another name")
  }
}
