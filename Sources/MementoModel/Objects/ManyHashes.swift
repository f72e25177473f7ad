// The ids of many blobs at once: two are computed side by side where the processor can do that.

internal import CSHA256

extension ObjectID {
  private static let goTogether = csha256_is_supported()

  /// The SHA-256 of each of some pieces, in their order.
  package static func hashing(_ pieces: [UnsafeRawBufferPointer]) -> [ObjectID] {
    guard goTogether, pieces.count > 1 else { return pieces.map { ObjectID(hashing: $0) } }
    let messages = pieces.map { piece in
      csha256_message(bytes: piece.baseAddress?.assumingMemoryBound(to: UInt8.self), count: piece.count)
    }
    return withUnsafeTemporaryAllocation(byteCount: pieces.count * size, alignment: 16) { hashes in
      guard let start = hashes.baseAddress else { return [] }
      csha256_hash(messages, messages.count, start.assumingMemoryBound(to: UInt8.self))
      return pieces.indices.map { ObjectID(loading: start + $0 * size) }
    }
  }

  /// The SHA-256 of parts of some bytes that lie one behind the other, in their order. `lengths`: of the parts, in bytes.
  package static func hashing(partsOf bytes: UnsafeRawBufferPointer, _ lengths: some Sequence<Int>) -> [ObjectID] {
    var start = 0
    return hashing(
      lengths.map { length in
        defer { start += length }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
      })
  }
}
