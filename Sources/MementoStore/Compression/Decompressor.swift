// Unpacks blocks, which may be damaged or hostile. It never writes more bytes than the block record declares.

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

  /// Unpacks `stored` into `block`, which has exactly the declared size. Returns false when `stored` does not unpack to
  /// exactly that many bytes.
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
      // Accept exactly one frame: the library would also accept several, and skippable frames.
      guard ZSTD_findFrameCompressedSize(stored.baseAddress, stored.count) == stored.count else { return false }
      let size = ZSTD_decompressDCtx(
        zstd, block.baseAddress, block.count, stored.baseAddress, stored.count)
      return ZSTD_isError(size) == 0 && size == block.count
    }
  }
}

extension Decompressor {
  /// Unpacks only the first bytes of a block, until `start` is full. Returns false when the block has fewer bytes. The
  /// rest is not checked: the caller must check the bytes that it uses against their ids.
  package func unpackStart(
    _ codec: Codec, _ stored: UnsafeRawBufferPointer, into start: UnsafeMutableRawBufferPointer
  ) -> Bool {
    switch codec {
    case .stored:
      guard stored.count >= start.count else { return false }
      start.copyMemory(from: UnsafeRawBufferPointer(rebasing: stored[..<start.count]))
      return true
    case .zlib:
      var stream = z_stream()
      guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return false }
      defer { inflateEnd(&stream) }
      stream.next_in = UnsafeMutablePointer(mutating: stored.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.avail_in = UInt32(stored.count)
      stream.next_out = start.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.avail_out = UInt32(start.count)
      let status = inflate(&stream, Z_SYNC_FLUSH)
      return (status == Z_OK || status == Z_STREAM_END) && stream.avail_out == 0
    case .zstd:
      ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only)
      var input = ZSTD_inBuffer(src: stored.baseAddress, size: stored.count, pos: 0)
      var output = ZSTD_outBuffer(dst: start.baseAddress, size: start.count, pos: 0)
      while output.pos < output.size {
        let before = (input.pos, output.pos)
        let left = ZSTD_decompressStream(zstd, &output, &input)
        if ZSTD_isError(left) != 0 || left == 0 { break }
        if before == (input.pos, output.pos) { break }
      }
      return output.pos == output.size
    }
  }
}

/// The CRC-32 of ISO 3309, as in zlib. It is for derived files: it detects errors of the disk, not forgery. `before`:
/// the CRC of the bytes that precede these.
package func crc32(_ bytes: UnsafeRawBufferPointer, after before: UInt32 = 0) -> UInt32 {
  var sum = UInt(before)
  var rest = bytes
  while !rest.isEmpty {
    let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
    sum = CZlib.crc32(
      sum, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(piece.count))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
  }
  return UInt32(truncatingIfNeeded: sum)
}

/// The CRC-32 of a collection of bytes.
package func crc32(_ bytes: some Collection<UInt8>) -> UInt32 {
  bytes.withContiguousStorageIfAvailable { crc32(UnsafeRawBufferPointer($0)) }
    ?? crc32(Array(bytes))
}
