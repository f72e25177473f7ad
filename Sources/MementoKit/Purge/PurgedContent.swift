// What is at the paths that are purged, and who else has a part of it.

internal import MementoStore

struct PurgedContent {
  /// The different contents that are at the paths.
  private(set) var versions: Set<EntryID> = []
  /// The chunks of all files, with their lengths.
  private(set) var chunks: [ObjectID: UInt64] = [:]
  private var trees: Set<ObjectID> = []
  private var lists: Set<FileContent> = []

  /// What tells the content of one entry from that of another.
  enum EntryID: Hashable {
    case file(FileContent)
    case folder(ObjectID)
    case other([UInt8])
  }

  /// Bytes of all chunks.
  var bytes: UInt64 { chunks.values.reduce(0) { $0.addingWithLimit($1) } }

  /// Adds an entry with all that is below it. Throws when a folder cannot be read.
  mutating func add(_ entry: TreeEntry, from source: any MetaSource) throws(StoreError) {
    switch entry.content {
    case .file(_, let content): versions.insert(.file(content))
    case .directory(let tree): versions.insert(.folder(tree))
    case .symbolicLink(let target): versions.insert(.other(target))
    default: versions.insert(.other([]))
    }
    var folders = try addOne(entry, source).map { [$0] } ?? []
    while let tree = folders.popLast() {
      guard trees.insert(tree).inserted else { continue }
      var reader = TreeReader(tree, in: source)
      while let entry = try reader.next() {
        if let inner = try addOne(entry, source) { folders.append(inner) }
      }
    }
  }

  /// Adds the chunks of a file. Returns the tree of a folder.
  private mutating func addOne(_ entry: TreeEntry, _ source: any MetaSource) throws(StoreError) -> ObjectID? {
    guard case .file(let size, let content) = entry.content else { return entry.tree }
    guard content.level > 0, lists.insert(content).inserted else { return nil }
    var reader = ChunkListReader(content, size: size, in: source)
    do throws(StoreError) {
      while let piece = try reader.next() {
        if let id = piece.id { chunks[id] = piece.length }
      }
    } catch {
      // Chunks that are not known cannot be named as shared. They go all the same.
      guard error.isDamage else { throw error }
    }
    return nil
  }
}

/// Looks for other paths that have some of the same chunks.
struct SharedContentSearch {
  /// The most that are named.
  static let limit = 100

  private let chunks: [ObjectID: UInt64]
  private let source: any MetaSource
  private var trees: Set<ObjectID> = []
  private var known: [FileContent: UInt64] = [:]
  private var paths: Set<BytePath> = []
  private(set) var found: [SharedContent] = []
  private(set) var count = 0

  /// `chunks`: what is looked for, with the lengths.
  init(for chunks: [ObjectID: UInt64], in source: any MetaSource) {
    self.chunks = chunks
    self.source = source
  }

  /// Looks in a snapshot. A folder that several snapshots share is looked at once.
  mutating func look(
    in id: ObjectID, _ record: SnapshotRecord, _ names: [String], isCancelled: () -> Bool
  ) throws(StoreError) {
    switch record.body {
    case .value(let value): try note(value.content, value.size, nil, id, names)
    case .tree(let tree, _):
      var folders = [(path: BytePath(""), tree: tree)]
      while let (path, tree) = folders.popLast() {
        if isCancelled() { throw .cancelled }
        guard trees.insert(tree).inserted else { continue }
        var reader = TreeReader(tree, in: source)
        while let entry = try reader.next() {
          switch entry.content {
          case .directory(let below): folders.append((path.appending(entry.name), below))
          case .file(let size, let content):
            try note(content, size, path.appending(entry.name), id, names)
          default: break
          }
        }
      }
    }
  }

  private mutating func note(
    _ content: FileContent, _ size: UInt64, _ path: BytePath?, _ id: ObjectID, _ names: [String]
  ) throws(StoreError) {
    let bytes = try shared(content, size)
    if bytes == 0 { return }
    // A path is named once, with the first snapshot that has it.
    if let path, !paths.insert(path).inserted { return }
    count += 1
    if found.count < SharedContentSearch.limit {
      found.append(SharedContent(path: path, snapshot: SnapshotID(id), names: names, bytes: bytes))
    }
  }

  private mutating func shared(_ content: FileContent, _ size: UInt64) throws(StoreError) -> UInt64 {
    if content.level == 0 { return 0 }
    if let known = known[content] { return known }
    var reader = ChunkListReader(content, size: size, in: source)
    var bytes: UInt64 = 0
    while let piece = try reader.next() {
      if let id = piece.id, chunks[id] != nil { bytes = bytes.addingWithLimit(piece.length) }
    }
    known[content] = bytes
    return bytes
  }
}
