// Where content comes from while it is saved: an open file, a stream, or bytes in memory. Generic code is compiled for each
// source, so that reading a file costs no call through a protocol.

internal import MementoSystem

/// What a source reads in one step.
///
/// `@unchecked Sendable`: `bytes` lie in the buffer of the worker that reads them, or in memory that nobody changes.
struct SourceBytes: @unchecked Sendable {
  /// Bytes of the hole before `bytes`.
  var hole: UInt64 = 0
  /// The data. It may go on in the next step, and what is not used then comes again.
  var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  /// A hole or the end of the content follows `bytes`.
  var endsRun = false
  /// The content ends with `bytes`.
  var isLast = false
}

/// Content that is read once, from its beginning to its end. Used by one worker at a time.
protocol ByteSource: Sendable {
  /// Reads what comes next. `buffer` is for sources that need one, and may be another one each time: it must hold more
  /// than `use` ever leaves.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> SourceBytes

  /// Goes on behind the first `count` bytes of what was read last.
  mutating func use(_ count: Int, of bytes: UnsafeRawBufferPointer)
}

/// A descriptor of the caller that is read from its current position: a pipe, a terminal or a file.
struct StreamSource: ByteSource {
  private let input: StreamInput
  /// What was read and not used.
  private var rest: [UInt8] = []
  private var isAtEnd = false

  init(_ input: StreamInput) {
    self.input = input
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> SourceBytes {
    buffer.copyBytes(from: rest)
    var filled = rest.count
    while !isAtEnd, filled < buffer.count {
      let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      isAtEnd = count == 0
      filled += count
    }
    return SourceBytes(
      bytes: UnsafeRawBufferPointer(rebasing: buffer[..<filled]), endsRun: isAtEnd, isLast: isAtEnd)
  }

  mutating func use(_ count: Int, of bytes: UnsafeRawBufferPointer) {
    rest.removeAll(keepingCapacity: true)
    rest.append(contentsOf: bytes[count...])
  }
}

/// Bytes in memory, which stay until the content is saved. Nothing is copied.
struct MemorySource: ByteSource {
  private var rest: SourceBytes

  init(_ bytes: UnsafeRawBufferPointer) {
    rest = SourceBytes(bytes: bytes, endsRun: true, isLast: true)
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> SourceBytes { rest }

  mutating func use(_ count: Int, of bytes: UnsafeRawBufferPointer) {
    rest.bytes = UnsafeRawBufferPointer(rebasing: rest.bytes[count...])
  }
}
