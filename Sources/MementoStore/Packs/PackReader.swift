// An open pack, read in ranges.

package import MementoSystem

/// The bytes of a pack that is no file of this machine.
package protocol PackRanges: Sendable {
  /// The size in bytes.
  func size() throws(Errno) -> UInt64

  /// Fills the buffer from `offset` on; returns the bytes read, fewer only where the pack ends.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int
}

/// What a storage hands out once for a pack. A file of this machine is read directly: readers of blocks do not pay for there
/// being other storages.
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

  /// The size in bytes.
  func size() throws(Errno) -> UInt64 {
    switch source {
    case .file(let file): try file.descriptor.status().size
    case .ranges(let ranges): try ranges.size()
    }
  }

  /// Fills the buffer from `offset` on; returns the bytes read, fewer only where the pack ends.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int {
    switch source {
    case .file(let file): try file.descriptor.readFully(into: buffer, at: offset)
    case .ranges(let ranges): try ranges.read(into: buffer, at: offset)
    }
  }

  /// The bytes from `offset` on, `count` at most; fewer where the pack ends.
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

  /// What is read next comes from the medium, as far as this machine can see to it.
  func dropCache() {
    if case .file(let file) = source { file.descriptor.dropCache() }
  }
}
