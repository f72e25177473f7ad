// Files of more than one chunk: lists of chunks, and lists of lists, cut by content like the files themselves. See
// docs/format.md, "chunk list".

/// A stretch of a file.
package struct ContentPiece: Equatable, Sendable {
  /// Bytes of the file.
  package var length: UInt64
  /// A chunk, or in an inner list another list; nil for a hole.
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

  package static let wrongTotal = FormatError("its pieces do not add up to the file")
}

extension BlobFailure {
  package static func damagedList(_ id: ObjectID, _ error: FormatError) -> Self {
    .damaged(file: "chunk list \(id.short)", reason: error.reason)
  }
}

/// Builds the content of one file from its pieces, in order. Memory is bounded: full lists are stored at once.
package struct ChunkListBuilder: ~Copyable {
  package var levels: [[ContentPiece]] = [[]]
  @usableFromInline package internal(set) var size: UInt64 = 0

  package init() {}

  @inlinable package mutating func append<Sink: BlobSink>(
    _ piece: ContentPiece, to writer: Sink
  ) throws(Sink.Failure) {
    size += piece.length
    // A hole goes on with the hole before it, however it was found.
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

  /// The bytes of a list.
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

  /// The content of the whole file.
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

/// The pieces of one chunk list, decoded one at a time: what a list says of itself costs no memory before it is read.
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
  /// The length of the pieces so far, bytes of the file.
  @inlinable package var total: UInt64 { pieces.total }

  /// The next piece; nil after the last.
  @inlinable package mutating func next() throws(Failure) -> ContentPiece? {
    do throws(FormatError) {
      return try pieces.next()
    } catch {
      throw .damagedList(id, error)
    }
  }

  /// Throws unless the list stands where one of this height and length is due.
  @inlinable package func expect(level expected: UInt8) throws(Failure) {
    guard level == expected else {
      throw .damagedList(id, FormatError("it is not a chunk list of height \(expected)"))
    }
  }
}

/// The same for bytes that were read.
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
    // A hole may have any length, a list below as well; a chunk is one blob.
    let isChunk = level == 2 && !isHole
    guard length > 0, !isHole || level == 2, !isChunk || length <= UInt64(BlobLimit.largest) else {
      throw FormatError("a piece that cannot be")
    }
    let piece = ContentPiece(length: length, id: isHole ? nil : try reader.id())
    // No file is longer than 2^63 - 1, and this is less than 2^63 more.
    total += length
    guard total <= UInt64(Int64.max) else { throw FormatError("its pieces are longer than a file can be") }
    remaining -= 1
    return piece
  }
}

/// Walks the chunks and holes of a file. Memory is that of one list for each level.
package struct ChunkListReader<Failure: BlobFailure> {
  package let source: any BlobSource<Failure>
  /// A content that is one chunk, or whose list is still to be read.
  package var first: (piece: ContentPiece, level: UInt8)?
  package var open: [(list: ChunkListBlob<Failure>, id: ObjectID, length: UInt64)] = []

  @inlinable package init(_ content: FileContent, size: UInt64, in source: any BlobSource<Failure>) {
    self.source = source
    if content.level > 0 { first = (ContentPiece(length: size, id: content.id), content.level) }
  }

  /// The next chunk or hole; nil at the end. Lengths add up to the size of the file, or it throws.
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
