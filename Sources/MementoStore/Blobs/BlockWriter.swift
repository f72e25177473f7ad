// Gathers blobs into blocks and compresses them. Each worker has one writer for each kind of blob, so it compresses
// without a lock.

internal import MementoSystem

/// The block that one worker is filling, for one kind of blob.
package struct BlockWriter: ~Copyable {
  private let writer: PackWriter
  private let kind: BlockKind
  private let arrangement: Arrangement
  private let target: Int
  private let compressor: Compressor
  private let block: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var blobs: [BlobRecord] = []

  /// `target`: the block is written once it holds this many bytes. `largestBlob`: the usual maximum size of a blob, in
  /// bytes.
  package init(
    _ writer: PackWriter, _ kind: BlockKind, _ arrangement: Arrangement = .walk, compression: Compression, target: Int,
    largestBlob: Int
  ) {
    self.writer = writer
    self.kind = kind
    self.arrangement = arrangement
    self.target = target
    let capacity = min(target + largestBlob, PackFormat.largestBlock)
    compressor = Compressor(compression, capacity: capacity)
    block = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit {
    block.deallocate()
  }

  /// Adds a blob that the caller has claimed. Writes the block when it is full. Throws when the blob is larger than any
  /// block may be, or when a write fails.
  package mutating func add(_ id: ObjectID, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard bytes.count <= PackFormat.largestBlock else {
      throw .system(operation: "write", path: StoreError.unfinished, .tooLarge)
    }
    if bytes.count > block.count - filled { try flush() }
    if bytes.count > block.count {
      // The blob is larger than the buffer: it becomes a block of its own.
      return try close(bytes, [BlobRecord(id: id, length: UInt32(bytes.count))])
    }
    (block.baseAddress! + filled).copyMemory(
      from: bytes.baseAddress ?? UnsafeRawPointer(block.baseAddress!), byteCount: bytes.count)
    filled += bytes.count
    blobs.append(BlobRecord(id: id, length: UInt32(bytes.count)))
    if filled >= target { try flush() }
  }

  /// Writes what the block holds so far. Does nothing when it is empty.
  package mutating func flush() throws(StoreError) {
    if blobs.isEmpty { return }
    let gathered = blobs
    blobs.removeAll(keepingCapacity: true)
    let bytes = UnsafeRawBufferPointer(rebasing: block[..<filled])
    filled = 0
    try close(bytes, gathered)
  }

  private func close(_ bytes: UnsafeRawBufferPointer, _ blobs: [BlobRecord]) throws(StoreError) {
    try compressor.compress(bytes) { (codec, stored) throws(StoreError) in
      try writer.append(kind, codec, arrangement, rawLength: bytes.count, stored, blobs: blobs)
    }
  }
}
