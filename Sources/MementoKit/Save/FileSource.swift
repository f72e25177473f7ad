// An open file as a source of bytes and holes.

internal import MementoSystem

struct FileSource: ByteSource {
  private let file: SharedDescriptor
  private let isSparse: Bool
  /// The size of the file when it was opened, bytes. It may have changed since.
  private let expectedEnd: UInt64
  private var position: UInt64 = 0
  /// The end of the run of data that `position` lies in; for a file without holes, never.
  private var dataEnd: UInt64

  init(_ file: SharedDescriptor, status: FileStatus) {
    self.file = file
    expectedEnd = status.size
    // Fewer blocks than bytes: there may be holes.
    isSparse = status.blocks < (status.size + 511) / 512
    dataEnd = isSparse ? 0 : .max
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> SourceBytes {
    var found = SourceBytes()
    if isSparse, position >= dataEnd {
      guard try skipHole(&found) else { return found }
    }
    let wanted = Int(clamping: min(UInt64(buffer.count), dataEnd - position))
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
    let read = try file.descriptor.readFully(into: target, at: position, expectingEnd: expectedEnd)
    found.bytes = UnsafeRawBufferPointer(rebasing: buffer[..<read])
    found.isLast = read < wanted
    found.endsRun = found.isLast || position + UInt64(read) == dataEnd
    return found
  }

  mutating func use(_ count: Int, of bytes: UnsafeRawBufferPointer) {
    position += UInt64(count)
  }

  /// Goes to the next data; false when the file ends in this hole.
  private mutating func skipHole(_ found: inout SourceBytes) throws(Errno) -> Bool {
    let size = try file.descriptor.status().size
    guard position < size else {
      found.isLast = true
      return false
    }
    let data = try file.descriptor.nextData(from: position)
    let holeEnd = min(data ?? size, size)
    if holeEnd > position {
      found.hole = holeEnd - position
      position = holeEnd
    }
    guard data != nil, position < size else {
      found.isLast = true
      return false
    }
    dataEnd = try file.descriptor.nextHole(from: position)
    if dataEnd <= position { dataEnd = size }
    return true
  }
}
