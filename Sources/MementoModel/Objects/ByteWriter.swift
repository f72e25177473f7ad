// Writes the bytes that ByteReader reads.

/// Appends numbers and bytes to an array. Numbers are little-endian; varints are LEB128 in their shortest form.
package struct ByteWriter: Sendable {
  package var bytes: [UInt8]

  @inlinable package init(capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  @inlinable package mutating func u8(_ value: UInt8) {
    bytes.append(value)
  }

  @inlinable package mutating func u32(_ value: UInt32) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  @inlinable package mutating func u64(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  @inlinable package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  @inlinable package mutating func signedVarint(_ value: Int64) {
    varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  @inlinable package mutating func append(_ more: some Collection<UInt8>) {
    bytes.append(contentsOf: more)
  }

  @inlinable package mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
  }

  @inlinable package mutating func id(_ id: ObjectID) {
    withUnsafeTemporaryAllocation(byteCount: ObjectID.size, alignment: 8) { buffer in
      id.store(to: buffer.baseAddress!)
      bytes.append(contentsOf: buffer)
    }
  }
}
