// The bytes of an archive on their way out: gathered, compressed and written. The compressor gets pieces of a fixed size, so
// that its output depends on the bytes alone.

internal import MementoStore
internal import MementoSystem

struct ArchiveOutput {
  private static let zeros = [UInt8](repeating: 0, count: 1 << 16)
  private static let piece = 1 << 18

  private let output: StreamOutput
  private let compressor: StreamCompressor?
  private var gathered: [UInt8] = []
  /// Bytes of the archive before it is compressed.
  private(set) var size: UInt64 = 0
  /// Bytes that were written.
  private(set) var written: UInt64 = 0

  init(_ descriptor: Int32, _ compression: ArchiveCompression) throws(RepositoryError) {
    output = StreamOutput(descriptor)
    gathered.reserveCapacity(ArchiveOutput.piece)
    if compression == .none {
      compressor = nil
      return
    }
    guard let compressor = StreamCompressor(compression == .gzip ? .gzip : .zstd) else {
      throw RepositoryError(.system, "there is no memory for compressing")
    }
    self.compressor = compressor
  }

  mutating func write(_ bytes: [UInt8]) throws(RepositoryError) {
    try write(bytes[...])
  }

  mutating func write(_ bytes: ArraySlice<UInt8>) throws(RepositoryError) {
    size += UInt64(bytes.count)
    var rest = bytes
    while !rest.isEmpty {
      let part = rest.prefix(ArchiveOutput.piece - gathered.count)
      gathered += part
      rest = rest.dropFirst(part.count)
      if gathered.count == ArchiveOutput.piece { try pass(isLast: false) }
    }
  }

  /// Writes so many NULs.
  mutating func writeZeros(_ count: UInt64) throws(RepositoryError) {
    var left = count
    while left > 0 {
      let part = Int(clamping: min(left, UInt64(ArchiveOutput.zeros.count)))
      try write(ArchiveOutput.zeros[..<part])
      left -= UInt64(part)
    }
  }

  /// Writes what is left, and the end of the compressed stream.
  mutating func finish() throws(RepositoryError) {
    try pass(isLast: true)
  }

  private mutating func pass(isLast: Bool) throws(RepositoryError) {
    let bytes = gathered
    gathered.removeAll(keepingCapacity: true)
    let (output, compressor) = (output, compressor)
    var count: UInt64 = 0
    do throws(Errno) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
        let bytes = UnsafeRawBufferPointer(bytes)
        guard let compressor else {
          count += UInt64(bytes.count)
          return try output.write(bytes)
        }
        try compressor.compress(bytes, isLast: isLast) { (packed) throws(Errno) in
          count += UInt64(packed.count)
          try output.write(packed)
        }
      }
    } catch {
      throw RepositoryError(
        .system, "cannot write the archive: \(error)", reason: .failedOutput, systemError: error.code)
    }
    written += count
  }
}
