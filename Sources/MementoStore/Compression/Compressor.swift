// Compresses blocks. Each worker has its own compressor, which keeps the codec's tables and an output buffer.

internal import CZlib
internal import CZstd

/// `@unchecked Sendable`: the codec's state and the buffer belong to this value, which has one owner.
package struct Compressor: ~Copyable, @unchecked Sendable {
  private let compression: Compression
  private let zstd: OpaquePointer?
  private let output: UnsafeMutableRawBufferPointer

  /// `capacity`: the size in bytes of the largest block that `compress` will be given.
  package init(_ compression: Compression, capacity: Int) {
    self.compression = compression
    switch compression {
    case .none:
      zstd = nil
      output = .allocate(byteCount: 1, alignment: 8)
    case .zlib:
      zstd = nil
      output = .allocate(byteCount: Int(compressBound(UInt(capacity))), alignment: 8)
    case .zstd(let level):
      zstd = ZSTD_createCCtx()
      output = .allocate(byteCount: ZSTD_compressBound(capacity), alignment: 8)
      ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level)
      // A hash table twice as large as that of level 1 gives 3% smaller blocks for 3% more time. See
      // docs/performance.md.
      if level == 1 { ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, 15) }
    }
  }

  deinit {
    ZSTD_freeCCtx(zstd)
    output.deallocate()
  }

  /// Compresses a block and calls `body` with the codec used and the bytes to store. When compression saves too little,
  /// these are the bytes of the block itself, with the codec `.stored`. Returns and throws what `body` returns and
  /// throws.
  package func compress<Result, Failure: Error>(
    _ block: UnsafeRawBufferPointer,
    _ body: (Codec, UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Saving less than 1/64 is not worth the time to unpack the block.
    if let (codec, size) = pack(block), size < block.count - block.count / 64 {
      return try body(codec, UnsafeRawBufferPointer(rebasing: output[..<size]))
    }
    return try body(.stored, block)
  }

  private func pack(_ block: UnsafeRawBufferPointer) -> (Codec, Int)? {
    switch compression {
    case .none:
      return nil
    case .zlib(let level):
      var size = UInt(output.count)
      let status = compress2(
        output.baseAddress?.assumingMemoryBound(to: UInt8.self), &size,
        block.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(block.count), level)
      return status == Z_OK ? (.zlib, Int(size)) : nil
    case .zstd:
      let size = ZSTD_compress2(
        zstd, output.baseAddress, output.count, block.baseAddress, block.count)
      return ZSTD_isError(size) == 0 ? (.zstd, size) : nil
    }
  }
}
