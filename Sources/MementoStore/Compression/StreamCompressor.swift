// Compresses a stream of any length in constant memory, as gzip and zstd do. The same bytes give the same stream: it holds
// neither a time nor a name, and one thread makes it.

internal import CZlib
internal import CZstd

/// The form of a compressed stream.
package enum StreamForm: Sendable {
  case gzip
  case zstd
}

/// It is used by one thread at a time, hence `@unchecked Sendable`: the codec's state and the buffer belong to it.
package final class StreamCompressor: @unchecked Sendable {
  private enum State {
    case gzip(UnsafeMutablePointer<z_stream>)
    case zstd(OpaquePointer)
  }

  private static let gzipLevel: Int32 = 6
  private static let zstdLevel: Int32 = 3
  private let state: State
  private let output: UnsafeMutableRawBufferPointer

  /// Nil when there is no memory for it.
  package init?(_ form: StreamForm) {
    switch form {
    case .gzip:
      let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
      stream.initialize(to: z_stream())
      // 16 asks for gzip's header, in which zlib writes no time.
      let status = deflateInit2_(
        stream, StreamCompressor.gzipLevel, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
      if status != Z_OK {
        stream.deallocate()
        return nil
      }
      state = .gzip(stream)
    case .zstd:
      guard let context = ZSTD_createCCtx() else { return nil }
      ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, StreamCompressor.zstdLevel)
      ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
      state = .zstd(context)
    }
    output = .allocate(byteCount: 1 << 17, alignment: 64)
  }

  deinit {
    output.deallocate()
    switch state {
    case .gzip(let stream):
      deflateEnd(stream)
      stream.deallocate()
    case .zstd(let context): ZSTD_freeCCtx(context)
    }
  }

  /// Compresses bytes and hands on what comes of them. `isLast`: ends the stream.
  package func compress<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    switch state {
    case .gzip(let stream): try gzip(bytes, isLast, stream, body)
    case .zstd(let context): try zstd(bytes, isLast, context, body)
    }
  }

  private func gzip<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, _ isLast: Bool, _ stream: UnsafeMutablePointer<z_stream>,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(bytes.count)
    var isFull = true
    while isFull {
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(output.count)
      // Deflating memory into memory cannot fail.
      _ = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
      isFull = stream.pointee.avail_out == 0
      try body(UnsafeRawBufferPointer(rebasing: output[..<(output.count - Int(stream.pointee.avail_out))]))
    }
  }

  private func zstd<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, _ isLast: Bool, _ context: OpaquePointer,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    while true {
      var out = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
      let left = ZSTD_compressStream2(context, &out, &input, isLast ? ZSTD_e_end : ZSTD_e_continue)
      try body(UnsafeRawBufferPointer(rebasing: output[..<out.pos]))
      // Compressing memory into memory cannot fail.
      if ZSTD_isError(left) != 0 || (isLast ? left == 0 : input.pos == input.size) { return }
    }
  }
}
