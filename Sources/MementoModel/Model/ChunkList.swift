// The content of files with more than one chunk: lists of chunks, and lists of lists. The lists are cut by their
// content, like the files. See docs/format.md, "chunk list".

/// A consecutive part of a file.
package struct ContentPiece: Equatable, Sendable {
  /// How many bytes of the file it has.
  package var length: UInt64
  /// The id of a chunk, or of a list in a list of lists. Nil for a hole.
  package var id: ObjectID?

  @inlinable package init(length: UInt64, id: ObjectID?) {
    self.length = length
    self.id = id
  }
}

package enum ChunkListFormat {
  package static let tag = UInt8(ascii: "L")
  package static let smallest = 32
  package static let largest = 1024

  /// The error of a list whose pieces have another length in total than the file.
  package static let wrongTotal = FormatError("its pieces do not add up to the file")
}

extension BlobFailure {
  /// The error of a damaged chunk list.
  package static func damagedList(_ id: ObjectID, _ error: FormatError) -> Self {
    .damaged(file: "chunk list \(id.short)", reason: error.reason)
  }
}

/// Builds the content of one file from its pieces, in order. Memory is bounded, since full lists are stored at once.
package struct ChunkListBuilder: ~Copyable {
  package var levels: [[ContentPiece]] = [[]]
  @usableFromInline package internal(set) var size: UInt64 = 0

  package init() {}

  /// Adds the next piece. Throws when a list cannot be stored.
  @inlinable package mutating func append<Sink: BlobSink>(
    _ piece: ContentPiece, to writer: Sink
  ) throws(Sink.Failure) {
    size += piece.length
    // Join a hole with a hole before it, so that the content does not depend on how the holes were found.
    if piece.id == nil, let last = levels[0].last, last.id == nil {
      levels[0][levels[0].count - 1].length += piece.length
      return
    }
    try add(piece, toLevel: 0, writer)
  }

  @inlinable package mutating func add<Sink: BlobSink>(
    _ piece: ContentPiece, toLevel level: Int, _ writer: Sink
  ) throws(Sink.Failure) {
    if level == levels.count { levels.append([]) }
    levels[level].append(piece)
    let isCut = levels[level].count >= ChunkListFormat.smallest && (piece.id?.words.3 ?? 1) & 0x7f == 0
    if isCut || levels[level].count >= ChunkListFormat.largest { try close(level, writer) }
  }

  @inlinable package mutating func close<Sink: BlobSink>(_ level: Int, _ writer: Sink) throws(Sink.Failure) {
    let pieces = levels[level]
    levels[level] = []
    let total = pieces.reduce(0) { $0 + $1.length }
    let id = try writer.storeMeta(ChunkListBuilder.list(pieces, level))
    try add(ContentPiece(length: total, id: id), toLevel: level + 1, writer)
  }

  /// The bytes of a chunk list. `level`: 0 for a list of chunks.
  package static func list(_ pieces: [ContentPiece], _ level: Int) -> [UInt8] {
    var out = ByteWriter(capacity: pieces.count * 36 + 8)
    out.u8(ChunkListFormat.tag)
    out.u8(UInt8(level + 2))
    out.varint(UInt64(pieces.count))
    for piece in pieces {
      out.varint(piece.length << 1 | (piece.id == nil ? 1 : 0))
      if let id = piece.id { out.id(id) }
    }
    return out.bytes
  }

  /// Returns the content of the whole file. Throws when a list cannot be stored.
  @inlinable package mutating func finish<Sink: BlobSink>(_ writer: Sink) throws(Sink.Failure) -> FileContent {
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

/// The pieces of one chunk list, decoded one at a time. So a forged count of pieces takes no memory.
package struct ChunkListBlob<Failure: BlobFailure> {
  package let id: ObjectID
  package var pieces: ChunkListPieces

  @inlinable package init(_ id: ObjectID, in source: any BlobSource<Failure>) throws(Failure) {
    let bytes = try source.readMeta(id)
    do throws(FormatError) {
      pieces = try ChunkListPieces(bytes)
    } catch {
      throw .damagedList(id, error)
    }
    self.id = id
  }

  @inlinable package var level: UInt8 { pieces.level }
  /// The length of the pieces read so far, in bytes of the file.
  @inlinable package var total: UInt64 { pieces.total }

  /// The next piece. Nil after the last one. Throws when the list is damaged.
  @inlinable package mutating func next() throws(Failure) -> ContentPiece? {
    do throws(FormatError) {
      return try pieces.next()
    } catch {
      throw .damagedList(id, error)
    }
  }

  /// Throws when the list does not have this height.
  @inlinable package func expect(level expected: UInt8) throws(Failure) {
    guard level == expected else {
      throw .damagedList(id, FormatError("it is not a chunk list of height \(expected)"))
    }
  }
}

/// Decodes the pieces in the bytes of a chunk list.
package struct ChunkListPieces {
  package let level: UInt8
  private var reader: ByteReader
  private var remaining: Int
  package var total: UInt64 = 0

  package init(_ bytes: [UInt8]) throws(FormatError) {
    reader = ByteReader(bytes)
    guard try reader.u8() == ChunkListFormat.tag else { throw FormatError("it is not a chunk list") }
    level = try reader.u8()
    guard level > 1, level <= FileContent.highestLevel else {
      throw FormatError("a chunk list of no possible height")
    }
    remaining = try reader.count(atMost: reader.remaining)
    guard remaining > 0 else { throw FormatError("it has no pieces") }
  }

  package mutating func next() throws(FormatError) -> ContentPiece? {
    if remaining == 0 {
      guard reader.isAtEnd else { throw FormatError("bytes follow the last piece") }
      return nil
    }
    let word = try reader.varint()
    let length = word >> 1
    let isHole = word & 1 == 1
    // A hole may have any length, and so may a list in a list. A chunk is one blob.
    let isChunk = level == 2 && !isHole
    guard length > 0, !isHole || level == 2, !isChunk || length <= UInt64(BlobLimit.largest) else {
      throw FormatError("a piece that cannot be")
    }
    let piece = ContentPiece(length: length, id: isHole ? nil : try reader.id())
    // This cannot overflow: `total` is less than 2^63 before, and `length` is less than 2^63.
    total += length
    guard total <= UInt64(Int64.max) else { throw FormatError("its pieces are longer than a file can be") }
    remaining -= 1
    return piece
  }
}

/// Reads the chunks and holes of a file, in order. It holds one list of each level in memory.
package struct ChunkListReader<Failure: BlobFailure> {
  package let source: any BlobSource<Failure>
  /// The content as one piece, until it is read: a single chunk, or the top list.
  package var first: (piece: ContentPiece, level: UInt8)?
  package var open: [(list: ChunkListBlob<Failure>, id: ObjectID, length: UInt64)] = []

  @inlinable package init(_ content: FileContent, size: UInt64, in source: any BlobSource<Failure>) {
    self.source = source
    if content.level > 0 { first = (ContentPiece(length: size, id: content.id), content.level) }
  }

  /// The next chunk or hole. Nil at the end. Throws when a list is damaged or cannot be read, or when the lengths do
  /// not add up to the size of the file.
  @inlinable package mutating func next() throws(Failure) -> ContentPiece? {
    if let (piece, level) = first {
      first = nil
      guard let id = piece.id, level > 1 else { return piece }
      try enter(id, piece.length, level: level)
    }
    while let last = open.indices.last {
      let level = open[last].list.level
      guard let piece = try open[last].list.next() else {
        let (list, id, length) = open.removeLast()
        guard list.total == length else { throw .damagedList(id, ChunkListFormat.wrongTotal) }
        continue
      }
      guard open[last].list.total <= open[last].length else {
        throw .damagedList(open[last].id, FormatError("its pieces are longer than the file"))
      }
      guard let id = piece.id, level > 2 else { return piece }
      try enter(id, piece.length, level: level - 1)
    }
    return nil
  }

  @inlinable package mutating func enter(_ id: ObjectID, _ length: UInt64, level: UInt8) throws(Failure) {
    let list = try ChunkListBlob(id, in: source)
    try list.expect(level: level)
    open.append((list, id, length))
  }
}
