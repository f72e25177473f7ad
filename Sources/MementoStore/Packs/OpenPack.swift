// A pack that is being written: a file in tmp/ that no other process sees. A worker reserves space under the lock and
// writes its bytes outside of it, so workers write at the same time.

internal import MementoSystem
internal import Synchronization

final class OpenPack: Sendable {
  private struct State: ~Copyable, Sendable {
    /// Nil after the pack has got its name or was discarded.
    var temporary: TemporaryFile?
    var end = UInt64(PackFormat.header.count)
    var flushedTo: UInt64 = 0
    var blocks: [BlockRecord] = []
    /// The blobs of all blocks, in the order of the blocks.
    var blobs: [NumberedBlob] = []
    /// Blocks that are not in the file.
    var borrowed = BorrowedBytes()
  }

  /// After this many bytes, the kernel is asked to start writing to the disk.
  private static let writebackStep: UInt64 = 8 << 20

  private let file: SharedDescriptor
  private let folder: StoreFolder
  private let storage: any PackStorage
  private let distant: (any DistantPackStorage)?
  private let state: Mutex<State>
  private let parity: ParityWriter?

  /// `folder`: where the file is while it is written. `storage`: where it is put when it is complete. `share`: how much
  /// parity is made of it.
  init(in folder: StoreFolder, for storage: any PackStorage, parity share: ParityShare) throws(StoreError) {
    self.folder = folder
    self.storage = storage
    distant = storage as? any DistantPackStorage
    parity = storage.parity == nil ? nil : ParityWriter(folder, share)
    let temporary = try onFile("create", StoreError.unfinished) { () throws(Errno) in
      let temporary = try folder.makeTemporary("pack")
      try temporary.write(PackFormat.header)
      return temporary
    }
    file = temporary.file
    state = Mutex(State(temporary: temporary))
    parity?.add(PackFormat.header, at: 0, isCopied: true)
  }

  /// The size so far, in bytes.
  var size: UInt64 { state.withLock { $0.end } }

  /// Writes a block and notes its blobs. `blobs`: their ids as numbers in the set that `finish` gets. `origin`: where these very
  /// bytes are, too; they are not written then if the pack goes elsewhere.
  func append(
    _ kind: BlockKind, _ codec: Codec, _ arrangement: Arrangement, rawLength: Int, _ stored: UnsafeRawBufferPointer,
    blobs: [NumberedBlob], origin: BlockOrigin?
  ) throws(StoreError) {
    let candidate = distant == nil ? nil : origin.flatMap { BorrowedBytes.Candidate($0, stored) }
    let (offset, isWritten, writeback) = state.withLock { state in
      let offset = state.end
      state.end += UInt64(stored.count)
      state.blocks.append(
        BlockRecord(
          kind: kind, codec: codec, arrangement: arrangement, rawLength: UInt32(rawLength),
          storedLength: UInt32(stored.count), blobCount: UInt32(blobs.count), offset: offset))
      state.blobs.append(contentsOf: blobs)
      if let candidate, state.borrowed.add(candidate, at: offset) { return (offset, false, nil as Range<UInt64>?) }
      var writeback: Range<UInt64>?
      if distant == nil, state.end - state.flushedTo >= OpenPack.writebackStep {
        writeback = state.flushedTo..<offset
        state.flushedTo = offset
      }
      return (offset, true, writeback)
    }
    guard isWritten else { return }
    try onFile("write", StoreError.unfinished) { () throws(Errno) in try file.descriptor.write(stored, at: offset) }
    parity?.add(stored, at: offset, isCopied: kind == .meta)
    if let writeback {
      file.descriptor.startWriteback(
        offset: writeback.lowerBound, size: writeback.upperBound - writeback.lowerBound)
    }
  }

  /// What the pack holds so far. `ids`: maps the numbers of its blobs to ids.
  private func contents(_ ids: NumberedIDs) -> (TableOfContents, end: UInt64) {
    state.withLock { (TableOfContents($0.blocks, BlobRecords($0.blobs, in: ids)), $0.end) }
  }

  /// Calls `body` with each blob of a kind: its id, its block, and its offset and length in the unpacked block, in
  /// bytes.
  func forEachBlob(
    _ kind: BlockKind, in ids: NumberedIDs, _ body: (ObjectID, BlockRecord, _ offset: Int, _ length: Int) -> Void
  ) {
    let (contents, _) = contents(ids)
    var blob = 0
    for block in contents.blocks {
      if block.kind != kind {
        blob += Int(block.blobCount)
        continue
      }
      var offset = 0
      for _ in 0..<block.blobCount {
        let record = contents.blobs[blob]
        body(record.id, block, offset, Int(record.length))
        offset += Int(record.length)
        blob += 1
      }
    }
  }

  /// The bytes of a block as they are stored.
  func read(_ block: BlockRecord) throws(StoreError) -> [UInt8] {
    let borrowed = state.withLock { $0.borrowed }
    return try onFile("read", StoreError.unfinished) { () throws(Errno) in
      var bytes = [UInt8](repeating: 0, count: Int(block.storedLength))
      var outcome = Result<Void, Errno>.success(())
      bytes.withUnsafeMutableBytes { bytes in
        outcome = Result { () throws(Errno) in
          try borrowed.read(into: bytes, at: block.offset, around: file.descriptor)
        }
      }
      try outcome.get()
      return bytes
    }
  }

  /// Makes the pack durable, then visible under its name; the name becomes durable later. Nobody may append any more.
  /// `ids`: maps the numbers of its blobs to ids. With `readingBack`, the pack is flushed even with `--no-sync`, and is
  /// read from the medium and checked before it is visible.
  func finish(_ ids: NumberedIDs, readingBack: Bool = false) throws(StoreError) -> PackContents {
    let (contents, end) = contents(ids)
    var hasher = ContentHasher()
    contents.forEachPiece { hasher.update($0) }
    let id = hasher.finish()
    var tableEnd = end
    try onFile("write", "packs/\(id.short)….pack") { () throws(Errno) in
      try contents.forEachPiece { (piece) throws(Errno) in
        try file.descriptor.write(piece, at: tableEnd)
        parity?.add(piece, at: tableEnd, isCopied: true)
        tableEnd += UInt64(piece.count)
      }
    }
    var footer = ByteWriter(capacity: PackFormat.footerSize)
    footer.u64(end)
    footer.u64(tableEnd - end)
    footer.id(id)
    footer.append(PackFormat.footerMagic)
    let size = tableEnd + UInt64(PackFormat.footerSize)
    parity?.add(footer.bytes, at: tableEnd, isCopied: true)
    let parityFile = parity?.finish(size: size)
    try onFile("write", "packs/\(id.short)….pack") { () throws(Errno) in
      try file.descriptor.write(footer.bytes, at: tableEnd)
      if folder.isDurable || readingBack { try file.descriptor.flush() }
    }
    if readingBack { try readBack(id, contents, size: size) }
    let borrowed = state.withLock { $0.borrowed }
    guard let temporary = state.withLock({ $0.temporary.take() }) else {
      throw .system(operation: "write", path: "packs/\(id.short)….pack", .stale)
    }
    if let distant {
      try distant.put(temporary, borrowing: borrowed, as: id)
    } else {
      try storage.put(temporary, as: id, isFlushed: readingBack)
    }
    if let parityFile { storage.parity?.put(parityFile, of: id) }
    return PackContents(id: id, size: size, contents: contents)
  }

  /// Drops the kernel's cache of the file, and compares what is then read with what was written.
  private func readBack(_ id: ObjectID, _ contents: TableOfContents, size: UInt64) throws(StoreError) {
    let written = PackReader(file)
    written.dropCache()
    do throws(StoreError) {
      let found = try PackCheck.contents(written, named: id)
      guard found.size == size, found.contents == contents else {
        throw .damaged(file: "packs/\(id.short)….pack", reason: "its table of contents is another")
      }
      try PackCheck.readBlobs(written, of: found)
    } catch {
      guard case .damaged(let file, let reason) = error else { throw error }
      throw .damaged(
        file: file, reason: "it was just written and reads back wrong (\(reason)); no pack was removed for it")
    }
  }

  /// Removes the file, unless the pack has its name. If that fails, a later save removes it.
  func discard() {
    _ = state.withLock { $0.temporary.take() }
    parity?.discard()
  }
}

/// What the index has to know about a finished pack.
package struct PackContents: Sendable {
  package let id: ObjectID
  /// The size of the file in bytes.
  package let size: UInt64
  package let contents: TableOfContents
}
