// The bytes of one file or value, chunk by chunk or at any place, each chunk checked against its id.

internal import MementoStore
internal import MementoSystem

/// Reads a stored file or value.
public struct ContentReader: ~Copyable {
  private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

  /// Bytes in all.
  public let size: UInt64
  private let path: BytePath
  private var pieces: ChunkListReader<StoreError>
  private var ranges: RangeReader
  private var reader: BlobReader
  /// What is left of a hole.
  private var hole: UInt64 = 0

  /// `path` is named by errors; empty for a value.
  init(_ content: SizedContent, path: BytePath, in repository: Repository) {
    size = content.size
    self.path = path
    pieces = ChunkListReader(content.content, size: content.size, in: repository.store)
    ranges = RangeReader(content, in: repository.store)
    reader = repository.store.blobReader()
  }

  /// The next bytes, from the beginning on; nil at the end. Throws `.damaged`, with the path.
  public mutating func next() throws(RepositoryError) -> [UInt8]? {
    do throws(StoreError) {
      return try nextPiece()
    } catch {
      throw RepositoryError(error, reading: path)
    }
  }

  /// The bytes from `offset` on, `count` at most: fewer only where the content ends, and none behind it. Only the chunks that
  /// hold them are read. `next` goes on where it was. Throws `.damaged`, with the path.
  package mutating func read(at offset: UInt64, count: Int) throws(RepositoryError) -> [UInt8] {
    do throws(StoreError) {
      return try ranges.read(at: offset, count: count, with: &reader)
    } catch {
      throw RepositoryError(error, reading: path)
    }
  }

  private mutating func nextPiece() throws(StoreError) -> [UInt8]? {
    if hole == 0 {
      guard let piece = try pieces.next() else { return nil }
      guard let id = piece.id else {
        hole = piece.length
        return try nextPiece()
      }
      let bytes = try reader.read(id)
      guard UInt64(bytes.count) == piece.length else {
        throw .wrongLength(ofChunk: id)
      }
      return bytes
    }
    let count = Int(clamping: min(hole, UInt64(ContentReader.zeros.count)))
    hole -= UInt64(count)
    return Array(ContentReader.zeros[..<count])
  }

  /// All of it. The caller has looked at `size`.
  mutating func contents(limit: Int) throws(RepositoryError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(limit, Int(clamping: size)))
    while let piece = try next() { bytes += piece }
    return bytes
  }
}

extension BlobReader {
  /// All bytes of a content. For contents that lie together: the reader keeps the block that it has unpacked. The caller
  /// has looked at the size.
  mutating func contents(of content: SizedContent, in store: Store) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    var pieces = ChunkListReader(content.content, size: content.size, in: store)
    while let piece = try pieces.next() {
      guard let id = piece.id else {
        bytes.append(contentsOf: repeatElement(0, count: Int(clamping: piece.length)))
        continue
      }
      let chunk = try read(id)
      guard UInt64(chunk.count) == piece.length else { throw .wrongLength(ofChunk: id) }
      if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
    }
    return bytes
  }
}
