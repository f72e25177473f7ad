// Reads numbers and bytes that may be damaged or hostile. Each step checks how many bytes are left, so nothing crashes.

/// Why bytes are not valid.
package struct FormatError: Error, Equatable, Sendable {
  package let reason: String

  @inlinable package init(_ reason: String) {
    self.reason = reason
  }

  package static let truncated = FormatError("it ends too early")
}

/// A cursor over bytes. Numbers are little-endian; varints are LEB128, as in DWARF and protocol buffers.
package struct ByteReader {
  package let bytes: [UInt8]
  @usableFromInline package internal(set) var position: Int
  package let end: Int

  @inlinable package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
    end = bytes.count
  }

  /// Reads only the bytes in `range`. Throws when the range goes beyond the bytes.
  @inlinable package init(_ bytes: [UInt8], in range: Range<Int>) throws(FormatError) {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count else { throw .truncated }
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  @inlinable package var remaining: Int { end - position }
  @inlinable package var isAtEnd: Bool { position == end }

  @inlinable package mutating func skip(_ count: Int) throws(FormatError) {
    guard count >= 0, count <= remaining else { throw .truncated }
    position += count
  }

  /// How many of the next bytes are equal in another reader.
  @inlinable package func sharedLength(with other: ByteReader) -> Int {
    let limit = min(remaining, other.remaining)
    return bytes.withUnsafeBytes { mine in
      other.bytes.withUnsafeBytes { theirs in
        var length = 0
        while length + 8 <= limit,
          mine.loadUnaligned(fromByteOffset: position + length, as: UInt64.self)
            == theirs.loadUnaligned(fromByteOffset: other.position + length, as: UInt64.self)
        { length += 8 }
        while length < limit, mine[position + length] == theirs[other.position + length] { length += 1 }
        return length
      }
    }
  }

  @inlinable package mutating func u8() throws(FormatError) -> UInt8 {
    guard position < end else { throw .truncated }
    defer { position += 1 }
    return bytes[position]
  }

  @inlinable package mutating func u32() throws(FormatError) -> UInt32 {
    try fixed()
  }

  @inlinable package mutating func u64() throws(FormatError) -> UInt64 {
    try fixed()
  }

  @inlinable mutating func fixed<Number: FixedWidthInteger>() throws(FormatError) -> Number {
    let size = MemoryLayout<Number>.size
    guard remaining >= size else { throw .truncated }
    defer { position += size }
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
  }

  @inlinable package mutating func varint() throws(FormatError) -> UInt64 {
    // Most numbers have one byte.
    let first = try u8()
    if first < 0x80 { return UInt64(first) }
    var result = UInt64(first & 0x7f)
    var shift: UInt64 = 7
    while true {
      let byte = try u8()
      let part = UInt64(byte & 0x7f)
      guard shift < 63 || (shift == 63 && part <= 1) else {
        throw FormatError("a number does not fit into 64 bits")
      }
      result |= part << shift
      if byte & 0x80 == 0 {
        // Accept only the shortest encoding: equal values must have equal bytes, since ids are hashes of them.
        guard byte != 0 else { throw FormatError("a number is not in its short form") }
        return result
      }
      shift += 7
    }
  }

  /// A varint of at most `limit`. For counts and sizes: they are checked before memory is allocated for them. Throws
  /// when it is larger.
  @inlinable package mutating func count(atMost limit: Int) throws(FormatError) -> Int {
    let value = try varint()
    guard let count = Int(exactly: value), count <= limit else {
      throw FormatError("a count of \(value) is more than the \(limit) that can be")
    }
    return count
  }

  /// A signed varint in zigzag encoding.
  @inlinable package mutating func signedVarint() throws(FormatError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  @inlinable package mutating func take(_ count: Int) throws(FormatError) -> [UInt8] {
    guard count >= 0, count <= remaining else { throw .truncated }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  @inlinable package mutating func id() throws(FormatError) -> ObjectID {
    guard remaining >= ObjectID.size else { throw .truncated }
    defer { position += ObjectID.size }
    return bytes.withUnsafeBytes { ObjectID(loading: $0.baseAddress! + position) }
  }
}
