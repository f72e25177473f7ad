// Compresses blocks. One a worker: it keeps the codec's tables and an output buffer.

internal import CZlib
internal import CZstd

/// `@unchecked Sendable`: the codec's state and the buffer belong to this value, which has one owner.
package struct Compressor: ~Copyable, @unchecked Sendable {
  private let compression: Compression
  private let zstd: OpaquePointer?
  private let output: UnsafeMutableRawBufferPointer

  /// `capacity`: the largest block that will be given, in bytes.
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
      // Twice the table of level 1: 3% smaller for 3% of the time. See docs/performance.md.
      if level == 1 { ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, 15) }
    }
  }

  deinit {
    ZSTD_freeCCtx(zstd)
    output.deallocate()
  }

  /// Calls `body` with the codec that was used and the bytes to store; stored as they are when nothing would be won.
  package func compress<Result, Failure: Error>(
    _ block: UnsafeRawBufferPointer,
    _ body: (Codec, UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Less than 1/64 is not worth unpacking for.
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
