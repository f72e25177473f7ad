// Which blobs are needed: everything that can be reached from a set of snapshots.

internal import MementoStore

/// Walks trees once each, however many snapshots share them. Depth and number of entries are bounded by memory for ids, not
/// by recursion.
struct Reachability {
  /// So many records of one tree are kept, beside those that a state or a step names.
  private static let longestChain = 1000

  private let repository: Repository
  private(set) var needed = BlobSet()
  // What has been looked into, by kind: a file may well have the very bytes of a snapshot, a tree or a list, and is a mere
  // chunk then.
  private var snapshotsSeen: Set<ObjectID> = []
  private var trees = BlobSet()
  private var lists = BlobSet()
  private(set) var snapshots = 0

  init(_ repository: Repository) {
    self.repository = repository
  }

  private var store: Store { repository.store }

  /// Adds a snapshot and everything below it; throws at the first thing that is missing or damaged.
  mutating func add(_ snapshot: ObjectID) throws(StoreError) {
    guard snapshotsSeen.insert(snapshot).inserted else { return }
    _ = needed.insert(snapshot)
    let record = try SnapshotRecord.read(snapshot, from: store)
    snapshots += 1
    switch record.body {
    case .tree(let tree, _): try add(tree: tree)
    case .value(let value): try add(value.content, size: value.size)
    }
    for list in [record.links, record.unrecorded] {
      if let list { try add(list.content, size: list.size) }
    }
    try addReplaced(by: record)
  }

  /// A save of what is at the position already takes the place of the step. The record that had the step holds the same
  /// tree, and is its parent: it is kept for its name and its message, and costs no more than these.
  private mutating func addReplaced(by record: SnapshotRecord) throws(StoreError) {
    var newer = record
    for _ in 0..<Reachability.longestChain {
      guard let parent = newer.parent, !snapshotsSeen.contains(parent), store.index.contains(parent) else { return }
      let older: SnapshotRecord
      do throws(StoreError) {
        older = try SnapshotRecord.read(parent, from: store)
      } catch {
        // Nothing promises that a parent is still whole.
        if error.isDamage { return }
        throw error
      }
      guard older.tree != nil, older.tree == newer.tree else { return }
      snapshotsSeen.insert(parent)
      _ = needed.insert(parent)
      for list in [older.links, older.unrecorded] {
        if let list { try add(list.content, size: list.size) }
      }
      newer = older
    }
  }

  private mutating func add(tree root: ObjectID) throws(StoreError) {
    var pending = [root]
    while let tree = pending.popLast() {
      guard trees.insert(tree) else { continue }
      var reader = TreeReader(tree, in: store)
      while let entry = try reader.next() {
        switch entry.content {
        case .directory(let below): pending.append(below)
        case .file(let size, let content): try add(content, size: size)
        default: break
        }
      }
      for piece in reader.visited { _ = needed.insert(piece) }
    }
  }

  private mutating func add(_ content: FileContent, size: UInt64) throws(StoreError) {
    if content.level == 0 || (content.level == 1 && needed.contains(content.id)) { return }
    if content.level > 1, !lists.insert(content.id) { return }
    var reader = ChunkListReader(content, size: size, in: store)
    while let piece = try reader.next() {
      guard let id = piece.id else { continue }
      guard store.index.place(of: id) != nil else { throw .missing(id) }
      _ = needed.insert(id)
    }
    for list in reader.visited { _ = needed.insert(list) }
  }
}
