// Marks snapshots for a collection that is spread over many saves. It may end after any object: an object is marked
// when all that lies below it is, so the next piece goes on where this one ended. No function calls itself for each
// level of a folder.

internal import MementoStore

struct SnapshotMark {
  /// What one blob takes beside its bytes: its record in the table of contents, and its row in the index.
  static let overhead: UInt64 = 36 + 44
  /// So many objects are marked in each piece, however long it takes, so that it comes to an end.
  private static let least = 16

  private enum Object {
    case record(ObjectID)
    case tree(ObjectID, PathKey)
    case list(ObjectID, PathKey)

    var id: ObjectID {
      switch self {
      case .record(let id), .tree(let id, _), .list(let id, _): id
      }
    }
  }

  /// An object that is being looked at: done when all that it names is marked.
  private struct Frame {
    let id: ObjectID
    var path = PathKey.none
    var below: [Object] = []
    var next = 0
  }

  /// What came of one snapshot.
  enum Outcome {
    case marked
    /// The time is up.
    case unfinished
    /// There is no room for it.
    case tooLarge
  }

  private let store: Store
  private let mayGoOn: () -> Bool
  /// Whether what is marked is measured.
  private let measures: Bool
  private(set) var whole: MarkedIDs
  private(set) var chunks: MarkedIDs
  private(set) var size: UInt64
  private var done = 0
  private var isNewest = false

  /// `mayGoOn`: asked before each object is read.
  init(_ store: Store, _ collection: SpreadCollection, while mayGoOn: @escaping () -> Bool) {
    self.store = store
    self.mayGoOn = mayGoOn
    measures = collection.limit != nil
    whole = collection.whole
    chunks = collection.chunks
    size = collection.size
  }

  /// Marks a snapshot and all that lies below it. `limit`: what everything that is marked may take; nil for no limit.
  /// `isNewest`: it is one of those whose blobs stay in the order of a walk. Throws when something is missing or damaged.
  mutating func mark(_ snapshot: ObjectID, limit: UInt64?, isNewest: Bool) throws(StoreError) -> Outcome {
    self.isNewest = isNewest
    if whole.contains(snapshot) { return .marked }
    let before = (whole: whole.addedCount, chunks: chunks.addedCount, size: size)
    var frames = [try enter(.record(snapshot))]
    while let top = frames.indices.last {
      if let limit, size > limit {
        // Nothing else needs what was marked for it. What an earlier piece has marked stays until the next collection.
        whole.forget(after: before.whole)
        chunks.forget(after: before.chunks)
        size = before.size
        return .tooLarge
      }
      guard frames[top].next < frames[top].below.count else {
        finish(frames.removeLast())
        continue
      }
      let object = frames[top].below[frames[top].next]
      frames[top].next += 1
      if whole.contains(object.id) { continue }
      if done >= SnapshotMark.least, !mayGoOn() { return .unfinished }
      frames.append(try enter(object))
    }
    return .marked
  }

  private mutating func finish(_ frame: Frame) {
    done += 1
    if whole.insert(frame.id, place(frame.path)) { measure(frame.id) }
  }

  private mutating func add(chunk id: ObjectID, _ path: PathKey) {
    if chunks.insert(id, place(path)) { measure(id) }
  }

  /// Where what is met now belongs.
  private func place(_ path: PathKey) -> VersionPlace {
    VersionPlace(isNewest ? .none : path, UInt32(clamping: whole.count + chunks.count))
  }

  private mutating func measure(_ id: ObjectID) {
    guard measures else { return }
    // One that no table names is no reason to keep less. A blob that is a chunk and a tree counts twice.
    let place = (try? store.index.knownPlaces(of: id))?.first
    let bytes = place.map { UInt64($0.block.storedLength) * UInt64($0.length) / UInt64(max($0.block.rawLength, 1)) }
    size += (bytes ?? 0) + SnapshotMark.overhead
  }

  // MARK: Reading

  private mutating func enter(_ object: Object) throws(StoreError) -> Frame {
    switch object {
    case .record(let id): try enter(record: id)
    case .tree(let id, let path): try enter(tree: id, path)
    case .list(let id, let path): try enter(list: id, path)
    }
  }

  private mutating func enter(record id: ObjectID) throws(StoreError) -> Frame {
    var frame = Frame(id: id)
    let record = try SnapshotRecord.read(id, from: store)
    for list in [record.links, record.unrecorded] {
      if let list { add(list.content, .none, to: &frame) }
    }
    switch record.body {
    case .value(let value): add(value.content, .none, to: &frame)
    case .tree(let tree, _): frame.below.append(.tree(tree, .root))
    }
    if let parent = try replaced(by: record) { frame.below.append(.record(parent)) }
    return frame
  }

  /// The parent of a record, if it has the same tree: a save of what is at the position takes the place of the step,
  /// and the record that had the step is kept for its name and its message. Nothing promises that it is still there.
  private func replaced(by record: SnapshotRecord) throws(StoreError) -> ObjectID? {
    guard let parent = record.parent, record.tree != nil, try store.index.contains(parent) else { return nil }
    do throws(StoreError) {
      return try SnapshotRecord.read(parent, from: store).tree == record.tree ? parent : nil
    } catch {
      // A damaged one is kept by nothing. Any other error may hide a whole one.
      guard error.isDamage else { throw error }
      return nil
    }
  }

  private mutating func enter(tree id: ObjectID, _ path: PathKey) throws(StoreError) -> Frame {
    var frame = Frame(id: id, path: path)
    var reader = TreeReader(blob: id, in: store)
    while let entry = try reader.next() {
      switch entry.content {
      case .directory(let below): frame.below.append(.tree(below, path.child(entry.name)))
      case .file(_, let content): add(content, path.child(entry.name), to: &frame)
      default: break
      }
    }
    frame.below += reader.inner.map { .tree($0, path) }
    return frame
  }

  private mutating func enter(list id: ObjectID, _ path: PathKey) throws(StoreError) -> Frame {
    var frame = Frame(id: id, path: path)
    var list = try ChunkListBlob(id, in: store)
    let level = list.level
    while let piece = try list.next() {
      if let below = piece.id { add(FileContent(level: level - 1, id: below), path, to: &frame) }
    }
    return frame
  }

  private mutating func add(_ content: FileContent, _ path: PathKey, to frame: inout Frame) {
    switch content.level {
    case 0: break
    case 1: add(chunk: content.id, path)
    default: frame.below.append(.list(content.id, path))
    }
  }
}
