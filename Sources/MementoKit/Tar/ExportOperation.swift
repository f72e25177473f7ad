// Writes a snapshot as a tar archive, in the order of its trees. Nothing is held in memory but the trees that are open and the
// names of hard links, so neither the number nor the size of files matters.

internal import MementoStore
internal import MementoSystem
internal import MementoTar

struct ExportOperation {
  let repository: Repository
  let compression: ArchiveCompression
  let monitor: any Monitor

  /// Throws `.wrongKind` for a value.
  func run(_ revision: Revision, to descriptor: Int32) throws(RepositoryError) -> ExportSummary {
    try run(revision, to: descriptor, holding: try repository.lockForReading(monitor))
  }

  private func run(
    _ revision: Revision, to descriptor: Int32, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> ExportSummary {
    let chosen = try RevisionResolver(repository, try repository.readRefs()).resolve(revision)
    guard case .tree(let tree, let metadata) = chosen.record.body else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueHasNoFiles, revision: revision)
    }
    monitor.begin(.exporting)
    monitor.expect(bytes: chosen.record.bytes)
    let archive = SnapshotArchive(
      repository.store, links: try linkGroups(of: chosen.record), monitor,
      try ArchiveOutput(descriptor, compression))
    try archive.write(tree, metadata)
    return ExportSummary(
      snapshot: Snapshot(chosen), entries: archive.entries, bytes: archive.bytes,
      bytesWritten: try archive.finish(), compression: compression)
  }

  /// The number of its group for each name of a file with several names.
  private func linkGroups(of record: SnapshotRecord) throws(RepositoryError) -> [[UInt8]: Int] {
    var groups: [[UInt8]: Int] = [:]
    var group = -1
    try SnapshotLists(repository).forEachLink(of: record) { (name, isFirst) throws(RepositoryError) in
      if isFirst { group += 1 }
      groups[name] = group
      return true
    }
    return groups
  }
}

/// One archive while it is written.
private final class SnapshotArchive {
  private let store: Store
  private let monitor: any Monitor
  private let groups: [[UInt8]: Int]
  /// The path of each group that is in the archive as a file.
  private var firstNames: [Int: [UInt8]] = [:]
  private var output: ArchiveOutput
  private var reader: BlobReader
  private(set) var entries = 0
  private(set) var bytes: UInt64 = 0

  init(_ store: Store, links groups: [[UInt8]: Int], _ monitor: any Monitor, _ output: ArchiveOutput) {
    self.store = store
    self.monitor = monitor
    self.groups = groups
    self.output = output
    reader = store.blobReader()
  }

  func finish() throws(RepositoryError) -> UInt64 {
    try output.write(TarWriter.end(after: output.size))
    try output.finish()
    return output.written
  }

  /// Writes the folder and all below it. A folder comes before what is in it.
  func write(_ tree: ObjectID, _ metadata: FileMetadata) throws(RepositoryError) {
    try write(TreeEntry(name: [], metadata: metadata, content: .directory(tree)), at: Array(".".utf8))
    var open: [(path: [UInt8], reader: TreeReader<StoreError>)] = [([], TreeReader(tree, in: store))]
    while let last = open.indices.last {
      let folder = open[last].path
      let entry = try translating(reading: BytePath(folder)) { () throws(StoreError) in try open[last].reader.next() }
      guard let entry else {
        open.removeLast()
        continue
      }
      if monitor.isCancelled { throw .cancelled }
      let path = folder.isEmpty ? entry.name : folder + [UInt8(ascii: "/")] + entry.name
      try write(entry, at: path)
      if let below = entry.tree { open.append((path, TreeReader(below, in: store))) }
    }
  }

  private func write(_ entry: TreeEntry, at path: [UInt8]) throws(RepositoryError) {
    entries += 1
    var header = TarEntry(entry, at: path)
    if let group = groups[path], !entry.isDirectory {
      if let first = firstNames[group] {
        header.kind = .hardLink(target: first)
        header.attributes = []
        header.size = 0
        try output.write(TarWriter.header(header))
        return monitor.advance(files: 1, bytes: 0)
      }
      firstNames[group] = path
    }
    guard case .file(let size, let content) = entry.content else {
      try output.write(TarWriter.header(header))
      return monitor.advance(files: entry.isDirectory ? 0 : 1, bytes: 0)
    }
    do throws(RepositoryError) {
      try write(header, SizedContent(size: size, content: content))
    } catch {
      guard error.code == .damaged, error.path == nil else { throw error }
      throw error.naming(BytePath(path))
    }
    monitor.advance(files: 1, bytes: 0)
  }

  private func write(_ header: TarEntry, _ content: SizedContent) throws(RepositoryError) {
    guard let layout = try layout(of: content) else {
      try output.write(TarWriter.header(header))
      try writeData(content)
      return try output.writeZeros(UInt64(TarBlock.padding(after: content.size)))
    }
    try output.write(TarWriter.header(header, sparse: layout))
    try output.write(layout.head)
    // A map may be long, so it is made again instead of being kept.
    var failure: RepositoryError?
    try forEachPiece(of: content) { piece in
      do throws(RepositoryError) {
        if failure == nil { try output.write(SparseLayout.line(piece.offset) + SparseLayout.line(piece.length)) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    try output.writeZeros(UInt64(layout.padding))
    try writeData(content)
    try output.writeZeros(UInt64(TarBlock.padding(after: layout.storedLength)))
  }

  /// Where the data of a file with holes are. Nil for a file without holes.
  private func layout(of content: SizedContent) throws(RepositoryError) -> SparseLayout? {
    // One chunk has no hole, and its list need not be read.
    if content.content.level < 2 { return nil }
    var layout = SparseLayout()
    try forEachPiece(of: content) { layout.add($0) }
    return layout.dataLength == content.size ? nil : layout
  }

  /// Calls `body` with each run of data. A file that ends with a hole has an empty one at its end.
  private func forEachPiece(of content: SizedContent, _ body: (SparsePiece) -> Void) throws(RepositoryError) {
    try translating { () throws(StoreError) in
      var pieces = ChunkListReader(content.content, size: content.size, in: store)
      var run = SparsePiece(offset: 0, length: 0)
      var place: UInt64 = 0
      while let piece = try pieces.next() {
        if piece.id == nil {
          if run.length > 0 { body(run) }
          run = SparsePiece(offset: place + piece.length, length: 0)
        } else {
          run.length += piece.length
        }
        place += piece.length
      }
      body(run)
    }
  }

  /// Writes all bytes but holes.
  private func writeData(_ content: SizedContent) throws(RepositoryError) {
    var pieces = ChunkListReader(content.content, size: content.size, in: store)
    while let piece = try translating({ () throws(StoreError) in try pieces.next() }) {
      if monitor.isCancelled { throw .cancelled }
      guard let id = piece.id else { continue }
      let data = try translating { () throws(StoreError) in
        let data = try reader.read(id)
        guard UInt64(data.count) == piece.length else { throw .wrongLength(ofChunk: id) }
        return data
      }
      try output.write(data)
      bytes += piece.length
      monitor.advance(files: 0, bytes: piece.length)
    }
  }
}

extension TarEntry {
  fileprivate init(_ entry: TreeEntry, at path: [UInt8]) {
    let kind: TarKind =
      switch entry.content {
      case .file: .file
      case .directory: .directory
      case .symbolicLink(let target): .symbolicLink(target: target)
      case .fifo: .fifo
      case .characterDevice(let major, let minor): .characterDevice(major: major, minor: minor)
      case .blockDevice(let major, let minor): .blockDevice(major: major, minor: minor)
      }
    var size: UInt64 = 0
    if case .file(let bytes, _) = entry.content { size = bytes }
    let metadata = entry.metadata
    self.init(
      path: path, kind: kind, permissions: metadata.permissions, user: metadata.user, group: metadata.group,
      modified: metadata.modified, attributes: metadata.attributes, size: size)
  }
}

extension RepositoryError {
  /// The same error of one path.
  fileprivate func naming(_ path: BytePath) -> RepositoryError {
    var error = self
    error.message = "cannot read \(path): \(message)"
    error.path = path
    return error
  }
}
