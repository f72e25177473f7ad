// The bytes of one file or value, chunk by chunk, each checked against its id.

internal import MementoStore
internal import MementoSystem

/// Reads a stored file or value from its beginning to its end.
public struct ContentReader: ~Copyable {
  private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

  /// Bytes in all.
  public let size: UInt64
  private let path: BytePath
  private var pieces: ChunkListReader<StoreError>
  private var reader: BlobReader
  /// What is left of a hole.
  private var hole: UInt64 = 0

  /// `path` is named by errors; empty for a value.
  init(_ content: SizedContent, path: BytePath, in repository: Repository) {
    size = content.size
    self.path = path
    pieces = ChunkListReader(content.content, size: content.size, in: repository.store)
    reader = repository.store.blobReader()
  }

  /// The next bytes; nil at the end. `.damaged` names the path.
  public mutating func next() throws(RepositoryError) -> [UInt8]? {
    do throws(StoreError) {
      return try nextPiece()
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
        throw .damaged(file: "chunk \(id.short)", reason: "it has another length than its list says")
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
