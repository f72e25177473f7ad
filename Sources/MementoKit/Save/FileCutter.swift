// Reads a file window by window and cuts it into chunks and holes. The same cuts whatever the windows are.

internal import MementoStore
internal import MementoSystem

/// What a window holds.
struct Window: Sendable {
  /// Chunks as ranges of the buffer, and holes.
  enum Piece: Sendable {
    case data(Range<Int>)
    case hole(UInt64)
  }

  var pieces: [Piece] = []
  /// Bytes of the file it covers.
  var length: UInt64 = 0
  var isLast = false
}

struct FileCutter: ~Copyable, Sendable {
  private let file: SharedDescriptor
  private let chunker: Chunker
  private let isSparse: Bool
  /// What the file was when it was opened: where it is expected to end, bytes.
  private let expectedEnd: UInt64
  private(set) var position: UInt64 = 0
  /// Where the stretch of data ends that `position` lies in; for a file without holes, never.
  private var dataEnd: UInt64

  init(_ file: SharedDescriptor, status: FileStatus, chunker: Chunker) {
    self.file = file
    self.chunker = chunker
    expectedEnd = status.size
    // Fewer blocks than bytes: there may be holes.
    isSparse = status.blocks < (status.size + 511) / 512
    dataEnd = isSparse ? 0 : .max
  }

  /// Reads and cuts the next `size` bytes or a little more; `buffer` holds a window and the longest chunk.
  mutating func next(
    _ size: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Window {
    var window = Window()
    if isSparse, position >= dataEnd {
      guard try skipHole(&window) else { return window }
    }
    let wanted = Int(clamping: min(UInt64(buffer.count), dataEnd - position))
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
    let read = try file.descriptor.readFully(into: target, at: position, expectingEnd: expectedEnd)
    let isEnd = read < wanted
    let isSegmentEnd = isEnd || position + UInt64(read) == dataEnd
    var used = 0
    while used < read {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[used..<read])
      // A chunk may only end where the longest one could have been seen, or where the data ends.
      if !isSegmentEnd, used >= size || rest.count < chunker.sizes.maximum { break }
      let length = chunker.firstCut(in: rest)
      window.pieces.append(.data(used..<used + length))
      used += length
      if used >= size, used < read { break }
    }
    position += UInt64(used)
    window.length += UInt64(used)
    window.isLast = isEnd && used == read
    return window
  }

  /// Goes to the next data; false when the file ends in this hole.
  private mutating func skipHole(_ window: inout Window) throws(Errno) -> Bool {
    let size = try file.descriptor.status().size
    guard position < size else {
      window.isLast = true
      return false
    }
    let data = try file.descriptor.nextData(from: position)
    let holeEnd = min(data ?? size, size)
    if holeEnd > position {
      window.pieces.append(.hole(holeEnd - position))
      window.length = holeEnd - position
      position = holeEnd
    }
    guard data != nil, position < size else {
      window.isLast = true
      return false
    }
    dataEnd = try file.descriptor.nextHole(from: position)
    if dataEnd <= position { dataEnd = size }
    return true
  }
}
