// Descriptors that belong to somebody else: standard input and output. Never closed here.

internal import CSystem

/// Reads from a descriptor of the caller.
package struct StreamInput: Sendable {
  private let raw: Int32

  package init(_ raw: Int32) {
    self.raw = raw
  }

  /// Up to `buffer.count` bytes; 0 at the end.
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

  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try retrying { cs_write(raw, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }
}
