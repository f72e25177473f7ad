// Files of more than one chunk: lists of chunks, and lists of lists, cut by content like the files themselves. See
// docs/format.md, "chunk list".

internal import MementoStore

/// A stretch of a file.
struct ContentPiece: Equatable, Sendable {
  /// Bytes of the file.
  var length: UInt64
  /// A chunk, or in an inner list another list; nil for a hole.
  var id: ObjectID?
}

enum ChunkListFormat {
  static let tag = UInt8(ascii: "L")
  static let smallest = 32
  static let largest = 1024
}

/// Builds the content of one file from its pieces, in order. Memory is bounded: full lists are stored at once.
struct ChunkListBuilder: ~Copyable {
  private var levels: [[ContentPiece]] = [[]]
  private(set) var size: UInt64 = 0

  mutating func append(_ piece: ContentPiece, to writer: ObjectWriter) throws(StoreError) {
    size += piece.length
    // A hole goes on with the hole before it, however it was found.
    if piece.id == nil, let last = levels[0].last, last.id == nil {
      levels[0][levels[0].count - 1].length += piece.length
      return
    }
    try add(piece, toLevel: 0, writer)
  }

  private mutating func add(_ piece: ContentPiece, toLevel level: Int, _ writer: ObjectWriter) throws(StoreError) {
    if level == levels.count { levels.append([]) }
    levels[level].append(piece)
    let isCut = levels[level].count >= ChunkListFormat.smallest && (piece.id?.words.3 ?? 1) & 0x7f == 0
    if isCut || levels[level].count >= ChunkListFormat.largest { try close(level, writer) }
  }

  private mutating func close(_ level: Int, _ writer: ObjectWriter) throws(StoreError) {
    let pieces = levels[level]
    levels[level] = []
    var out = ByteWriter(capacity: pieces.count * 36 + 8)
    out.u8(ChunkListFormat.tag)
    out.u8(UInt8(level + 2))
    out.varint(UInt64(pieces.count))
    var total: UInt64 = 0
    for piece in pieces {
      total += piece.length
      out.varint(piece.length << 1 | (piece.id == nil ? 1 : 0))
      if let id = piece.id { out.id(id) }
    }
    let id = try writer.storeMeta(out.bytes)
    try add(ContentPiece(length: total, id: id), toLevel: level + 1, writer)
  }

  /// The content of the whole file.
  mutating func finish(_ writer: ObjectWriter) throws(StoreError) -> FileContent {
    if size == 0 { return .empty }
    if levels.count == 1, levels[0].count == 1, let id = levels[0][0].id {
      return FileContent(level: 1, id: id)
    }
    var level = 0
    while true {
      let isTop = level == levels.count - 1
      if isTop, level > 0, levels[level].count == 1, let id = levels[level][0].id {
        return FileContent(level: UInt8(level + 1), id: id)
      }
      if !levels[level].isEmpty { try close(level, writer) }
      level += 1
    }
  }
}

/// Walks the chunks and holes of a file.
struct ChunkListReader {
  private let source: any MetaSource
  private var pending: [(piece: ContentPiece, level: UInt8)]
  /// The lists that were read so far.
  private(set) var visited: [ObjectID] = []

  init(_ content: FileContent, size: UInt64, in source: any MetaSource) {
    self.source = source
    pending = content.level == 0 ? [] : [(ContentPiece(length: size, id: content.id), content.level)]
  }

  /// The next chunk or hole; nil at the end. Lengths add up to the size of the file, or it throws.
  mutating func next() throws(StoreError) -> ContentPiece? {
    while let (piece, level) = pending.popLast() {
      guard let id = piece.id, level > 1 else { return piece }
      visited.append(id)
      let pieces = try ChunkListReader.pieces(of: id, level: level, total: piece.length, in: source)
      pending.append(contentsOf: pieces.reversed().map { ($0, level - 1) })
    }
    return nil
  }

  private static func pieces(
    of id: ObjectID, level: UInt8, total: UInt64, in source: any MetaSource
  ) throws(StoreError) -> [ContentPiece] {
    var reader = ByteReader(try source.readMeta(id))
    do throws(FormatError) {
      guard try reader.u8() == ChunkListFormat.tag, try reader.u8() == level else {
        throw FormatError("it is not a chunk list of height \(level)")
      }
      let count = try reader.count(atMost: reader.remaining)
      var result: [ContentPiece] = []
      var sum: UInt64 = 0
      for _ in 0..<count {
        let word = try reader.varint()
        let length = word >> 1
        let isHole = word & 1 == 1
        guard length > 0, !isHole || level == 2 else { throw FormatError("a piece that cannot be") }
        result.append(ContentPiece(length: length, id: isHole ? nil : try reader.id()))
        sum += length
        guard sum <= total else { throw FormatError("its pieces are longer than the file") }
      }
      guard reader.isAtEnd, sum == total else { throw FormatError("its pieces do not add up to the file") }
      return result
    } catch {
      throw .damaged(file: "chunk list \(id.short)", reason: error.reason)
    }
  }
}
