// Any bytes of a content. Only the chunks that hold them are read, and the lists that lead there.

internal import MementoStore

/// Keeps the chunk that it read last.
struct RangeReader {
  private let size: UInt64
  private var locator: ChunkLocator
  private var last: (id: ObjectID, bytes: [UInt8])?

  init(_ content: SizedContent, in source: any MetaSource) {
    size = content.size
    locator = ChunkLocator(content, in: source)
  }

  /// The bytes from `offset` on, `count` at most: fewer only where the content ends, and none behind it. Holes read as
  /// zeros. Throws `.damaged` or `.missing` for what cannot be read of these bytes; what is elsewhere does not matter.
  mutating func read(
    at offset: UInt64, count: Int, with reader: inout BlobReader
  ) throws(StoreError) -> [UInt8] {
    precondition(count >= 0, "a negative number of bytes")
    guard offset < size else { return [] }
    let end = offset + min(UInt64(count), size - offset)
    var bytes: [UInt8] = []
    var position = offset
    while position < end {
      let (start, piece) = try locator.piece(at: position)
      let stop = min(end, start + piece.length)
      if let id = piece.id {
        let chunk = try chunk(id, length: piece.length, with: &reader)
        bytes += chunk[Int(position - start)..<Int(stop - start)]
      } else {
        bytes += repeatElement(0, count: Int(stop - position))
      }
      position = stop
    }
    return bytes
  }

  private mutating func chunk(
    _ id: ObjectID, length: UInt64, with reader: inout BlobReader
  ) throws(StoreError) -> [UInt8] {
    if let last, last.id == id, UInt64(last.bytes.count) == length { return last.bytes }
    let bytes = try reader.read(id)
    guard UInt64(bytes.count) == length else { throw .wrongLength(ofChunk: id) }
    last = (id, bytes)
    return bytes
  }
}

extension SizedContent {
  /// The bytes from `offset` on, `count` at most. Whoever reads several times keeps a `ContentReader`.
  func read(at offset: UInt64, count: Int, from store: Store) throws(StoreError) -> [UInt8] {
    var ranges = RangeReader(self, in: store)
    var reader = store.blobReader()
    return try ranges.read(at: offset, count: count, with: &reader)
  }
}

extension StoreError {
  /// A chunk is whole, and not what its list says.
  static func wrongLength(ofChunk id: ObjectID) -> StoreError {
    .damaged(file: "chunk \(id.short)", reason: "it has another length than its list says")
  }
}
