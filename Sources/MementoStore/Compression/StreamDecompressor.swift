// Unpacks a gzip or zstd stream of any length in constant memory. The stream may be damaged or hostile.

internal import CZlib
internal import CZstd

/// It is used by one thread at a time, hence `@unchecked Sendable`: the codec's state belongs to it.
package final class StreamDecompressor: @unchecked Sendable {
  /// What one step did. Nothing used and nothing made: more input is needed.
  package struct Step: Sendable {
    /// Bytes of the input that were used.
    package var used: Int
    /// Bytes that were written.
    package var made: Int
  }

  private enum State {
    case gzip(UnsafeMutablePointer<z_stream>)
    case zstd(OpaquePointer)
  }

  /// 128 MiB, the most that zstd itself unpacks without being asked.
  private static let zstdWindow: Int32 = 27
  private let state: State
  /// Whether the bytes so far are whole streams: nothing is missing if the input ends here.
  package private(set) var isWhole = false
  /// What follows a whole gzip stream is no other one. gzip(1) passes over it, too.
  private var isPastEnd = false

  /// Nil when there is no memory for it.
  package init?(_ form: StreamForm) {
    switch form {
    case .gzip:
      let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
      stream.initialize(to: z_stream())
      let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      if status != Z_OK {
        stream.deallocate()
        return nil
      }
      state = .gzip(stream)
    case .zstd:
      guard let context = ZSTD_createDCtx() else { return nil }
      ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, StreamDecompressor.zstdWindow)
      state = .zstd(context)
    }
  }

  deinit {
    switch state {
    case .gzip(let stream):
      inflateEnd(stream)
      stream.deallocate()
    case .zstd(let context): ZSTD_freeDCtx(context)
    }
  }

  /// Unpacks some of `input` into `output`. Nil when the stream is damaged.
  package func unpack(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Step? {
    switch state {
    case .gzip(let stream): gunzip(input, output, stream)
    case .zstd(let context): unzstd(input, output, context)
    }
  }

  private func gunzip(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer, _ stream: UnsafeMutablePointer<z_stream>
  ) -> Step? {
    guard let first = input.first else { return Step(used: 0, made: 0) }
    if isWhole {
      // One stream may follow another. NULs and anything else behind the last one is padding.
      if isPastEnd || first != 0x1f {
        isPastEnd = true
        return Step(used: input.count, made: 0)
      }
      guard inflateReset(stream) == Z_OK else { return nil }
      isWhole = false
    }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(clamping: input.count)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(clamping: output.count)
    let (given, room) = (stream.pointee.avail_in, stream.pointee.avail_out)
    let status = inflate(stream, Z_NO_FLUSH)
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return nil }
    isWhole = status == Z_STREAM_END
    return Step(used: Int(given - stream.pointee.avail_in), made: Int(room - stream.pointee.avail_out))
  }

  private func unzstd(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer, _ context: OpaquePointer
  ) -> Step? {
    var taken = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var made = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let left = ZSTD_decompressStream(context, &made, &taken)
    if ZSTD_isError(left) != 0 { return nil }
    if taken.pos > 0 || made.pos > 0 { isWhole = left == 0 }
    return Step(used: taken.pos, made: made.pos)
  }
}
