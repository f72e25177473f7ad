// Reads a source window by window and cuts it into chunks and holes. The cuts depend on the content alone: neither on the
// windows nor on the source.

internal import MementoStore
internal import MementoSystem

/// A stretch of content that one worker stores.
struct Window: Sendable {
  /// The chunks, one after the other, and the hole before them. They lie in the buffer that the window was read into.
  fileprivate var content: SourceBytes
  /// Of each chunk, bytes.
  fileprivate(set) var chunks: [Int] = []

  var isLast: Bool { content.isLast }

  /// Bytes of the content.
  var length: UInt64 { content.hole + UInt64(content.bytes.count) }

  /// Stores the chunks, in order.
  func store(_ writer: ObjectWriter) throws(StoreError) -> [ContentPiece] {
    var pieces: [ContentPiece] = []
    pieces.reserveCapacity(chunks.count + 1)
    if content.hole > 0 { pieces.append(ContentPiece(length: content.hole, id: nil)) }
    let bytes = content.bytes
    var start = 0
    for (length, id) in zip(chunks, ObjectID.hashing(partsOf: bytes, chunks)) {
      try writer.storeData(id, UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
      pieces.append(ContentPiece(length: UInt64(length), id: id))
      start += length
    }
    return pieces
  }
}

struct ContentCutter<Source: ByteSource>: ~Copyable, Sendable {
  private var source: Source
  private let chunker: Chunker

  init(_ source: Source, chunker: Chunker) {
    self.source = source
    self.chunker = chunker
  }

  /// Reads and cuts the next `size` bytes or a little more. `buffer` holds a window and the longest chunk; it is not used
  /// again before the window is stored.
  mutating func next(
    _ size: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Window {
    let found = try source.read(into: buffer)
    let bytes = found.bytes
    var window = Window(content: found)
    var used = 0
    while used < bytes.count, used < size {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
      // A chunk may only end where the longest one could have been seen, or where the data ends.
      if !found.endsRun, rest.count < chunker.sizes.maximum { break }
      let length = chunker.firstCut(in: rest)
      window.chunks.append(length)
      used += length
    }
    window.content.bytes = UnsafeRawBufferPointer(rebasing: bytes[..<used])
    window.content.isLast = found.isLast && used == bytes.count
    source.use(used, of: bytes)
    return window
  }
}
