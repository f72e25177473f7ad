// Finishes a directory whose entries are all known. Makes its tree, or takes the tree of the cache when nothing
// differs, and writes its cache record.

internal import MementoStore
internal import MementoSystem

struct DirectoryFinish {
  private let node: DirectoryNode
  private let context: SaveContext

  init(_ node: DirectoryNode, context: SaveContext) {
    self.node = node
    self.context = context
  }

  /// The id of the tree, and the offset of the cache record.
  func run(_ writer: ObjectWriter) throws(StoreError) -> (tree: ObjectID, record: UInt64) {
    let tree = try self.tree(writer)
    return (tree, try cacheRecord(of: tree))
  }

  /// Most directories have not changed; then nothing is encoded.
  private func tree(_ writer: ObjectWriter) throws(StoreError) -> ObjectID {
    if context.cache?.coversPacks == true, node.isAsCached, let cached = node.cached { return cached.tree }
    var builder = TreeBuilder()
    try node.forEachEntry { (_, name, encoded) throws(StoreError) in
      try builder.append(name: name, encoded: encoded, to: writer)
    }
    let tree = try builder.finish(writer)
    if let cached = node.cached, cached.tree != tree, !context.noted.isFull { try note(tree, against: cached) }
    return tree
  }

  /// Notes how the directory differs from the tree in the cache. A comparison after the walk uses these notes.
  private func note(_ tree: ObjectID, against cached: CachedDirectory) throws(StoreError) {
    var comparison = CachedComparison(cached)
    try node.forEachEntry { (_, name, encoded) throws(StoreError) in comparison.add(name, encoded) }
    if let differences = comparison.finish() {
      context.noted.note(TreePair(old: cached.tree, new: tree), differences)
    }
  }

  /// The offset of the record; 0 when there is none.
  private func cacheRecord(of tree: ObjectID) throws(StoreError) -> UInt64 {
    guard let cacheWriter = context.cacheWriter else { return 0 }
    var entries = ByteWriter()
    var count = 0
    try node.forEachEntry { (slot, _, encoded) throws(StoreError) in
      count += 1
      entries.u64(slot.inode)
      entries.u64(UInt64(bitPattern: slot.changed.seconds))
      entries.u32(slot.changed.nanoseconds)
      entries.u64(slot.record)
      entries.append(encoded)
    }
    return cacheWriter.append(identity: node.status.identity, tree: tree, entryCount: count, entries: entries.bytes)
  }
}
