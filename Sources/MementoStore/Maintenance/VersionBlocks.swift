// Blocks with versions of files or folders side by side: larger than others, so that most of a version is found in the one
// before it.

internal import MementoSystem

/// The sizes of such blocks, and where they are cut.
enum VersionBlocks {
  /// What a reader unpacks for one old blob at most. With half as much, the history of a source tree takes 6% more.
  static func limit(_ kind: BlockKind) -> Int {
    switch kind {
    case .data: 8 << 20
    // The cache of trees takes blocks of this size.
    case .meta: 2 << 20
    }
  }

  /// Larger blobs stay in the order of a walk.
  static func largestBlob(_ kind: BlockKind) -> Int { limit(kind) / 4 }

  /// The same for a piece of work after a save. With blocks of this size, it takes a few hundredths of a second.
  static func pieceLimit(_ kind: BlockKind) -> Int {
    switch kind {
    case .data: 2 << 20
    case .meta: 1 << 20
    }
  }

  static func largestInPiece(_ kind: BlockKind) -> Int { pieceLimit(kind) / 4 }

  /// Cuts a sorted list into blocks of at most `limit` bytes. In its last quarter a block ends with a path, so that fewer
  /// paths begin anew in the next one. `length` and `key`: of a blob, by its place in the list.
  static func cut(
    _ range: Range<Int>, limit: Int, length: (Int) -> Int, key: (Int) -> PathKey
  ) -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    var start = range.lowerBound
    var size = 0
    for place in range {
      let isNewPath = place > start && key(place) != key(place - 1)
      if place > start, size + length(place) > limit || (isNewPath && size > limit - limit / 4) {
        blocks.append(start..<place)
        start = place
        size = 0
      }
      size += length(place)
    }
    if start < range.upperBound { blocks.append(start..<range.upperBound) }
    return blocks
  }
}

/// Makes such blocks, for one worker.
struct VersionBlockWriter: ~Copyable {
  private static let capacity = max(VersionBlocks.limit(.data), VersionBlocks.limit(.meta))

  private let writer: PackWriter
  private let compressor: Compressor
  /// Where the caller puts the blobs of a block, back to back.
  let block: UnsafeMutableRawBufferPointer

  init(_ writer: PackWriter, _ compression: Compression) {
    self.writer = writer
    compressor = Compressor(compression, capacity: VersionBlockWriter.capacity)
    block = .allocate(byteCount: VersionBlockWriter.capacity, alignment: 64)
  }

  deinit {
    block.deallocate()
  }

  /// Writes the first `size` bytes of `block`, which are these blobs.
  func write(_ kind: BlockKind, _ blobs: [BlobRecord], size: Int) throws(StoreError) {
    let bytes = UnsafeRawBufferPointer(rebasing: block[..<size])
    try compressor.compress(bytes) { (codec, stored) throws(StoreError) in
      try writer.append(kind, codec, .versions, rawLength: size, stored, blobs: blobs)
    }
  }
}

/// Copies versions that lie side by side into blocks of their own, in the order in which they come.
final class VersionCopier {
  private let packs: PackWriter
  private let writer: VersionBlockWriter
  /// What is in the block so far.
  private var kind = BlockKind.data
  private var blobs: [BlobRecord] = []
  private var size = 0

  init(_ packs: PackWriter, _ compression: Compression) {
    self.packs = packs
    writer = VersionBlockWriter(packs, compression)
  }

  /// Adds a blob that is no larger than `VersionBlocks.largestBlob`. What little is left of several blocks goes into one.
  func add(_ id: ObjectID, _ bytes: [UInt8], _ kind: BlockKind) throws(StoreError) {
    if kind != self.kind || size + bytes.count > VersionBlocks.limit(kind) { try flush() }
    self.kind = kind
    UnsafeMutableRawBufferPointer(rebasing: writer.block[size..<size + bytes.count]).copyBytes(from: bytes)
    blobs.append(BlobRecord(id: id, length: UInt32(bytes.count)))
    size += bytes.count
  }

  private func flush() throws(StoreError) {
    if blobs.isEmpty { return }
    try writer.write(kind, blobs, size: size)
    blobs = []
    size = 0
  }

  /// Makes the new packs durable, reads them back and makes them visible, as `BlobCopier` does.
  func finish(replacing: Set<ObjectID>) throws(StoreError) -> Set<ObjectID> {
    try flush()
    return try packs.finish(durably: true, readingBack: true, replacing: replacing)
  }

  func discard() {
    packs.discard()
  }
}
