// Unpacks blocks, which may be damaged or hostile: never more bytes than were declared.

internal import CZlib
internal import CZstd

/// `@unchecked Sendable`: the codec's state belongs to this value, which has one owner.
package struct Decompressor: ~Copyable, @unchecked Sendable {
  private let zstd: OpaquePointer?

  package init() {
    zstd = ZSTD_createDCtx()
  }

  deinit {
    ZSTD_freeDCtx(zstd)
  }

  /// Unpacks `stored` into `block`, which has exactly the declared size; false when they do not fit each other.
  package func unpack(
    _ codec: Codec, _ stored: UnsafeRawBufferPointer, into block: UnsafeMutableRawBufferPointer
  ) -> Bool {
    switch codec {
    case .stored:
      guard stored.count == block.count else { return false }
      block.copyMemory(from: stored)
      return true
    case .zlib:
      var size = UInt(block.count)
      var used = UInt(stored.count)
      let status = uncompress2(
        block.baseAddress?.assumingMemoryBound(to: UInt8.self), &size,
        stored.baseAddress?.assumingMemoryBound(to: UInt8.self), &used)
      return status == Z_OK && size == block.count && used == stored.count
    case .zstd:
      let size = ZSTD_decompressDCtx(
        zstd, block.baseAddress, block.count, stored.baseAddress, stored.count)
      return ZSTD_isError(size) == 0 && size == block.count
    }
  }
}

/// CRC-32 of ISO 3309, as in zlib: for derived files, where a slip of the disk must be seen but nobody cheats.
package func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
  var sum: UInt = 0
  var rest = bytes
  while !rest.isEmpty {
    let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
    sum = CZlib.crc32(
      sum, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(piece.count))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
  }
  return UInt32(truncatingIfNeeded: sum)
}

package func crc32(_ bytes: some Collection<UInt8>) -> UInt32 {
  bytes.withContiguousStorageIfAvailable { crc32(UnsafeRawBufferPointer($0)) }
    ?? crc32(Array(bytes))
}
