// Descriptors that the caller owns, such as standard input and output. They are never closed here.

internal import CMementoSystem

/// Reads from a descriptor of the caller.
package struct StreamInput: Sendable {
  private let raw: Int32

  package init(_ raw: Int32) {
    self.raw = raw
  }

  /// Reads up to `buffer.count` bytes. Returns the bytes read; 0 is the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try retrying { cs_read(raw, buffer.baseAddress, buffer.count) }
  }
}

/// Writes to a descriptor of the caller.
package struct StreamOutput: Sendable {
  private let raw: Int32

  package init(_ raw: Int32) {
    self.raw = raw
  }

  /// Lets a pipe hold a mebibyte, where the system has that: each side then waits less often for the other. Nothing else is
  /// changed.
  package func enlargePipe() { cs_enlarge_pipe(raw, 1 << 20) }

  /// Writes all bytes.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try retrying { cs_write(raw, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes what there is room for, at least one byte. Returns how many bytes were written.
  package func writeSome(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try retrying { cs_write(raw, bytes.baseAddress, bytes.count) }
  }
}
