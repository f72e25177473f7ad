// Writes a batch of files with their content and metadata, on all cores. It unpacks each block once and writes its
// chunks to all files that need them.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class FileWriter: Sendable {
  private let store: Store
  /// Where the chunks are; nil when they are in the store.
  private let distant: DistantContents?
  private let files: [FileToWrite]
  private let progress: WriteProgress
  private let metadata: MetadataWriter
  /// The files of several chunks, by their number in `files`.
  private let parts: [Int32: PartialFile]
  /// The numbers of the files that need no chunk.
  private let withoutData: [Int32]
  /// The numbers of the files that may share the blocks of others.
  private let shareable: [Int32]
  private let sharing: BlockSharing?
  private let chunks: [ChunkToWrite]
  /// The index in `chunks` at which each block begins.
  private let blocks: [Int]

  /// Takes over what a batch has gathered: the chunks of the store, and the files that need none.
  convenience init(
    _ batch: borrowing WriteBatch, from store: Store, _ metadata: MetadataWriter, _ progress: WriteProgress
  ) {
    self.init(
      batch, batch.chunks, from: store, nil, withoutData: batch.withoutData, shareable: batch.shareable, metadata,
      progress)
  }

  /// Takes over the chunks of a batch that are not in the store.
  convenience init(
    _ batch: borrowing WriteBatch, from distant: DistantContents, _ metadata: MetadataWriter,
    _ progress: WriteProgress
  ) {
    self.init(
      batch, batch.distantChunks, from: distant.store, distant, withoutData: [], shareable: [], metadata, progress)
  }

  private init(
    _ batch: borrowing WriteBatch, _ chunks: [ChunkToWrite], from store: Store, _ distant: DistantContents?,
    withoutData: [Int32], shareable: [Int32], _ metadata: MetadataWriter, _ progress: WriteProgress
  ) {
    self.store = store
    self.distant = distant
    self.progress = progress
    self.metadata = metadata
    files = batch.files
    parts = batch.parts
    self.withoutData = withoutData
    self.shareable = shareable
    sharing = batch.sharing
    let chunks = chunks.sorted { $0.place.sortKey < $1.place.sortKey }
    var blocks: [Int] = []
    for index in chunks.indices {
      if index > 0, chunks[index - 1].place.pack == chunks[index].place.pack,
        chunks[index - 1].place.block.offset == chunks[index].place.block.offset
      {
        continue
      }
      blocks.append(index)
    }
    self.chunks = chunks
    self.blocks = blocks
  }

  /// Whether the chunks are not in the store.
  var isDistant: Bool { distant != nil }

  /// Runs of neighbouring blocks. One worker writes each run, so that it makes the files of one folder.
  var runs: [Range<Int>] {
    if isDistant { return distantRuns }
    let step = max(1, min(16, blocks.count / (Host.processorCount() * 4)))
    return stride(from: 0, to: blocks.count, by: step).map { $0..<min($0 + step, blocks.count) }
  }

  /// Runs of blocks that are asked for in one go.
  private var distantRuns: [Range<Int>] {
    var ahead: UInt64 = 0
    return StoredRun.divide(blocks.indices.lazy.map(place), ahead: &ahead)
  }

  /// The place of the first chunk that is needed of a block.
  private func place(of block: Int) -> Location { chunks[blocks[block]].place }

  /// Where a block ends in its pack, in bytes.
  private func storedEnd(of block: Int) -> UInt64 {
    let record = place(of: block).block
    return record.offset + UInt64(record.storedLength)
  }

  /// Runs of files that may share the blocks of others.
  var shareableRuns: [Range<Int>] {
    let step = max(1, min(64, shareable.count / (Host.processorCount() * 4)))
    return stride(from: 0, to: shareable.count, by: step).map { $0..<min($0 + step, shareable.count) }
  }

  /// How many chunks are in a run of blocks.
  func chunkCount(of run: Range<Int>) -> Int { end(of: run.upperBound - 1) - blocks[run.lowerBound] }

  /// The index in `chunks` at which a block ends.
  private func end(of block: Int) -> Int { block + 1 < blocks.count ? blocks[block + 1] : chunks.count }

  /// Makes the files that need no block: empty files, links, fifos and devices.
  func makeWithoutData() {
    for number in withoutData {
      progress.perform { () throws(RepositoryError) in try makeWithoutData(Int(number)) }
    }
  }

  /// Writes the chunks in a run of blocks.
  func write(_ run: Range<Int>, _ reader: inout BlobReader) throws(RepositoryError) {
    if isDistant {
      let first = place(of: run.lowerBound)
      reader.readAhead(first.block.offset..<storedEnd(of: run.upperBound - 1), ofPack: first.pack)
    }
    for block in run {
      try progress.check()
      try write(block: block, &reader)
    }
  }

  /// Makes a run of files that may share the blocks of others. Those that cannot get their content from the store.
  func share(_ run: Range<Int>) throws(RepositoryError) {
    for index in run {
      try progress.check()
      try share(files[Int(shareable[index])])
    }
  }

  private func share(_ target: FileToWrite) throws(RepositoryError) {
    guard case .file(let size, let content) = target.entry.content else { return }
    let file = try onFile(target) { () throws(Errno) in
      SharedDescriptor(
        try target.place.open().descriptor.open(
          target.name, .create, permissions: metadata.modeForMaking(target.entry.metadata)))
    }
    if try sharing?.give(file.descriptor, target.entry, at: target.path, in: store, progress) == true {
      progress.shared.add(size, ordering: .relaxed)
    } else {
      try onFile(target) { () throws(Errno) in try file.descriptor.truncate(to: 0) }
      try copy(content, size, target, to: file)
    }
    try onFile(target) { () throws(Errno) in
      try metadata.complete(target.entry.metadata, file.descriptor, path: { target.path })
      try file.descriptor.duplicate().finish()
    }
    progress.monitor.advance(files: 1, bytes: 0)
  }

  /// Writes the content of a file chunk by chunk.
  private func copy(
    _ content: FileContent, _ size: UInt64, _ target: FileToWrite, to file: SharedDescriptor
  ) throws(RepositoryError) {
    try onFile(target) { () throws(Errno) in try file.descriptor.truncate(to: size) }
    var reader = ChunkListReader(content, size: size, in: store)
    var offset: UInt64 = 0
    while let piece = try translating(reading: target.path, { () throws(StoreError) in try reader.next() }) {
      try progress.check()
      if let id = piece.id {
        let bytes = try translating { () throws(StoreError) in try store.read(id) }
        guard UInt64(bytes.count) == piece.length else {
          throw RepositoryError(
            StoreError.damaged(file: "blob \(id.short)", reason: "it has another length than the list says"))
        }
        let place = offset
        try onFile(target) { () throws(Errno) in try file.descriptor.write(bytes, at: place) }
        progress.written.add(piece.length, ordering: .relaxed)
        progress.monitor.advance(files: 0, bytes: piece.length)
      }
      offset += piece.length
    }
  }

  private func write(block: Int, _ reader: inout BlobReader) throws(RepositoryError) {
    let end = end(of: block)
    let needed = chunks[blocks[block]..<end].reduce(0) { max($0, Int($1.place.offset) + Int($1.place.length)) }
    reader.confirm(chunks[blocks[block]..<end].map { ($0.id, $0.place) }, end: needed)
    for chunk in chunks[blocks[block]..<end] {
      let outcome: Result<Void, RepositoryError>
      do throws(StoreError) {
        outcome = try reader.withBlob(chunk.id, at: chunk.place, end: needed) { (bytes) throws(RepositoryError) in
          try self.write(chunk, bytes)
        }
      } catch {
        // Another pack may have an intact copy.
        let bytes = try readAnew(chunk.id, &reader)
        outcome = Result { () throws(RepositoryError) in
          try bytes.withUnsafeBufferPointer { (bytes) throws(RepositoryError) in
            try self.write(chunk, UnsafeRawBufferPointer(bytes))
          }
        }
      }
      try outcome.get()
    }
  }

  private func readAnew(_ id: ObjectID, _ reader: inout BlobReader) throws(RepositoryError) -> [UInt8] {
    guard let distant else { return try translating { () throws(StoreError) in try reader.read(id) } }
    return try distant.reading { () throws(StoreError) in try reader.read(id) }
  }

  private func write(_ chunk: ChunkToWrite, _ bytes: UnsafeRawBufferPointer) throws(RepositoryError) {
    let target = files[Int(chunk.file)]
    try onFile(target) { () throws(Errno) in
      if let part = parts[chunk.file] {
        if let file = try part.write(bytes, at: chunk.offset) {
          try metadata.apply(target.entry.metadata, to: file.descriptor, path: { target.path })
          progress.monitor.advance(files: 1, bytes: 0)
        }
      } else {
        let file = try target.place.open().descriptor.open(
          target.name, .create, permissions: metadata.modeForMaking(target.entry.metadata))
        do throws(Errno) {
          try file.write(bytes)
        } catch {
          // A part of it looks like a file. The error of the write counts.
          try? target.place.open().descriptor.removeFile(target.name)
          throw error
        }
        try metadata.complete(target.entry.metadata, file, path: { target.path })
        try file.finish()
        progress.monitor.advance(files: 1, bytes: 0)
      }
    }
    progress.written.add(UInt64(bytes.count), ordering: .relaxed)
    progress.monitor.advance(files: 0, bytes: UInt64(bytes.count))
  }

  /// Makes an empty file, a file that is one hole, a link, a fifo or a device.
  private func makeWithoutData(_ index: Int) throws(RepositoryError) {
    let target = files[index]
    let path = { target.path }
    var reason = "only root can make one"
    var isWithheld = false
    let isMade = try onFile(target) { () throws(Errno) -> Bool in
      let directory = try target.place.open()
      let isDevice: Bool
      switch target.entry.content {
      case .file(let size, _):
        let file = try directory.descriptor.open(target.name, .create)
        if size > 0 { try file.truncate(to: size) }
        try metadata.apply(target.entry.metadata, to: file, path: path)
        try file.finish()
        return true
      case .symbolicLink(let destination):
        try directory.descriptor.makeSymbolicLink(target.name, target: destination)
        isDevice = false
      case .fifo:
        try directory.descriptor.makeNode(target.name, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
        isDevice = false
      case .characterDevice(let major, let minor), .blockDevice(let major, let minor):
        guard Host.isSuperuser else { return false }
        isWithheld = !metadata.rights.allowsPrivileges
        if isWithheld { return false }
        try directory.descriptor.makeNode(
          target.name, kind: target.entry.content.kind, permissions: 0o600, major: major, minor: minor)
        isDevice = true
      case .directory:
        throw .invalid
      }
      let isComplete = try metadata.complete(target.entry, target.name, in: directory.descriptor, path: path)
      if isComplete || !isDevice { return true }
      reason = "its owner cannot be set"
      try directory.descriptor.removeFile(target.name)
      return false
    }
    if !isMade {
      if isWithheld {
        progress.problems.reportWithheld(target.path, "device")
      } else {
        progress.problems.report(target.path, "device not restored: \(reason)")
      }
      progress.unmade.withLock { _ = $0.insert(target.item) }
    }
    progress.monitor.advance(files: 1, bytes: 0)
  }

  private func onFile<Result>(
    _ target: FileToWrite, _ body: () throws(Errno) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw RepositoryError(
        .system, "cannot write \(target.path): \(error)", path: target.path, systemError: error.code)
    }
  }
}
