// An open pack that is read in ranges.

package import MementoSystem

/// The bytes of a pack that is not a file on this machine.
package protocol PackRanges: Sendable {
  /// The size in bytes.
  func size() throws(Errno) -> UInt64

  /// Reads bytes from `offset` on until the buffer is full or the pack ends. Returns how many bytes were read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int
}

/// The reader that a storage returns for a pack. It reads a file on this machine directly, so that the fast case does
/// not pay for other kinds of storage.
package struct PackReader: Sendable {
  private enum Source: Sendable {
    case file(SharedDescriptor)
    case ranges(any PackRanges)
  }

  private let source: Source

  package init(_ file: SharedDescriptor) {
    source = .file(file)
  }

  package init(_ ranges: some PackRanges) {
    source = .ranges(ranges)
  }

  /// The file of the pack; nil when it is none on this machine.
  var file: SharedDescriptor? {
    guard case .file(let file) = source else { return nil }
    return file
  }

  /// The size in bytes.
  func size() throws(Errno) -> UInt64 {
    switch source {
    case .file(let file): try file.descriptor.status().size
    case .ranges(let ranges): try ranges.size()
    }
  }

  /// Reads bytes from `offset` on until the buffer is full or the pack ends. Returns how many bytes were read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int {
    switch source {
    case .file(let file): try file.descriptor.readFully(into: buffer, at: offset)
    case .ranges(let ranges): try ranges.read(into: buffer, at: offset)
    }
  }

  /// The bytes from `offset` on: `count` of them, or fewer if the pack ends before.
  func bytes(at offset: UInt64, count: Int) throws(Errno) -> [UInt8] {
    switch source {
    case .file(let file): return try file.descriptor.bytes(at: offset, count: count)
    case .ranges(let ranges):
      var bytes = [UInt8](repeating: 0, count: count)
      var outcome = Result<Int, Errno>.success(0)
      bytes.withUnsafeMutableBytes { buffer in
        outcome = Result { () throws(Errno) in try ranges.read(into: buffer, at: offset) }
      }
      bytes.removeLast(count - (try outcome.get()))
      return bytes
    }
  }

  /// Makes the next read come from the medium, as far as this machine can ensure that.
  func dropCache() {
    if case .file(let file) = source { file.descriptor.dropCache() }
  }
}
