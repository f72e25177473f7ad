// Gathers files to write into batches, and hands on each full batch. The chunks of a large file may be in several
// batches, so the memory depends neither on the number of files nor on their size.

internal import MementoStore
internal import MementoSystem

/// A range of a file, and the blob that it comes from.
struct ChunkToWrite: Sendable {
  let place: Location
  let id: ObjectID
  /// The number of the file in its batch.
  let file: Int32
  /// The offset in the file, in bytes.
  let offset: UInt64
}

struct WriteBatch: ~Copyable {
  /// A batch is handed on when it has this many files or chunks. 65,536 chunks take about 6 MB while they wait.
  private static let fileLimit = 2048
  private static let chunkLimit = 1 << 16

  private let store: Store
  /// Where chunks are that are not in the store.
  private let distant: DistantContents?
  private let metadata: MetadataWriter
  private let progress: WriteProgress
  private let handOn: (FileWriter) -> Void
  let sharing: BlockSharing?
  private(set) var files: [FileToWrite] = []
  private(set) var chunks: [ChunkToWrite] = []
  /// The chunks that are not in the store.
  private(set) var distantChunks: [ChunkToWrite] = []
  /// Files of several chunks, by their number in `files`.
  private(set) var parts: [Int32: PartialFile] = [:]
  /// The numbers of links, fifos, devices, and files that need no chunk.
  private(set) var withoutData: [Int32] = []
  /// The numbers of files that may share the blocks of others.
  private(set) var shareable: [Int32] = []
  /// The number of batches handed on. They hold all chunks added so far, except for those of the present batch.
  private(set) var batches = 0

  /// `folder`: the top folder that the files are written into. `distant`: where the contents are that the store does not have. `sharing`: where files may share their blocks with others.
  /// `handOn` takes each full batch.
  init(
    into folder: SharedDescriptor, from store: Store, besides distant: DistantContents? = nil,
    _ rights: RestoreRights, _ progress: WriteProgress, sharing: BlockSharing?, handOn: @escaping (FileWriter) -> Void
  ) {
    self.sharing = sharing
    self.store = store
    self.distant = distant
    self.progress = progress
    self.handOn = handOn
    metadata = MetadataWriter(progress.problems, rights, makingFilesIn: folder)
  }

  /// Adds a file with all its chunks. Throws when a chunk is not in the store.
  mutating func add(_ file: FileToWrite) throws(StoreError) {
    if files.count >= WriteBatch.fileLimit { handOver() }
    guard case .file(let size, let content) = file.entry.content, content.level > 0 else {
      withoutData.append(number(of: file))
      return
    }
    if let sharing, sharing.mayHave(file.entry, at: file.path) {
      shareable.append(number(of: file))
      return
    }
    if content.level > 1 { return try addLarge(file, size, content) }
    try add(content.id, length: size, at: 0, of: number(of: file))
  }

  /// Hands on the last batch.
  consuming func finish() {
    handOver()
  }

  private mutating func addLarge(_ file: FileToWrite, _ size: UInt64, _ content: FileContent) throws(StoreError) {
    let part = PartialFile(file, size: size, progress: progress)
    var number = number(of: file)
    var reader = ChunkListReader(content, size: size, in: store)
    var offset: UInt64 = 0
    var hasData = false
    while let piece = try reader.next() {
      if progress.isCancelled { throw .cancelled }
      if let id = piece.id {
        // The batch is handed on only when the next chunk is known. So the last chunk of a file is never handed on
        // before the end of its list is read.
        if chunks.count + distantChunks.count >= WriteBatch.chunkLimit {
          if hasData { parts[number] = part }
          handOver()
          number = self.number(of: file)
        }
        try add(id, length: piece.length, at: offset, of: number)
        part.expectOne()
        hasData = true
      }
      offset += piece.length
    }
    if hasData {
      parts[number] = part
      part.expectNoMore()
    } else {
      withoutData.append(number)
    }
  }

  private mutating func number(of file: FileToWrite) -> Int32 {
    files.append(file)
    return Int32(files.count - 1)
  }

  private mutating func add(
    _ id: ObjectID, length: UInt64, at offset: UInt64, of file: Int32
  ) throws(StoreError) {
    guard let (place, isDistant) = try place(of: id) else {
      let error = StoreError.missing(id)
      throw distant?.noting(error) ?? error
    }
    guard UInt64(place.length) == length else {
      let error = StoreError.damaged(file: "blob \(id.short)", reason: "it has another length than the tree says")
      throw isDistant ? distant?.noting(error) ?? error : error
    }
    let chunk = ChunkToWrite(place: place, id: id, file: file, offset: offset)
    if isDistant { distantChunks.append(chunk) } else { chunks.append(chunk) }
  }

  private func place(of id: ObjectID) throws(StoreError) -> (Location, isDistant: Bool)? {
    guard let distant else { return try store.index.place(of: id).map { ($0, false) } }
    if let place = try store.index.knownPlaces(of: id).first { return (place, false) }
    return try distant.store.index.place(of: id).map { ($0, true) }
  }

  private mutating func handOver() {
    if files.isEmpty { return }
    handOn(FileWriter(self, from: store, metadata, progress))
    if let distant, !distantChunks.isEmpty { handOn(FileWriter(self, from: distant, metadata, progress)) }
    files.removeAll(keepingCapacity: true)
    chunks.removeAll(keepingCapacity: true)
    distantChunks.removeAll(keepingCapacity: true)
    parts.removeAll()
    withoutData.removeAll()
    shareable.removeAll()
    batches += 1
  }
}
