// A directory whose entries are all known: its tree, or the one it had when nothing differs, and its cache record.

internal import MementoStore
internal import MementoSystem

struct DirectoryFinish {
  private let node: DirectoryNode
  private let context: SaveContext

  init(_ node: DirectoryNode, context: SaveContext) {
    self.node = node
    self.context = context
  }

  /// The id of the tree, and where the cache record lies.
  func run(_ writer: ObjectWriter) throws(StoreError) -> (tree: ObjectID, record: UInt64) {
    var entries = ByteWriter()
    var count = 0
    var isUnchanged = node.cached != nil && context.cache?.coversPacks == true
    var builder: TreeBuilder? = TreeBuilder()
    var cursor = node.cached.map { CachedDirectory.Cursor($0) }
    // First the comparison alone: most directories are as they were, and then nothing is encoded.
    try node.forEachEntry { (slot, _, encoded) throws(StoreError) in
      count += 1
      if context.cacheWriter != nil {
        entries.u64(slot.inode)
        entries.u64(UInt64(bitPattern: slot.changed.seconds))
        entries.u32(slot.changed.nanoseconds)
        entries.u64(slot.record)
        entries.append(encoded)
      }
      guard isUnchanged, let cached = node.cached, let known = cursor?.current else {
        isUnchanged = false
        return
      }
      if slot.state != .cached || Int(slot.start) != known.encoded.lowerBound {
        isUnchanged = cached.bytes[known.encoded].elementsEqual(encoded)
      }
      cursor?.advance()
    }
    if count != node.cached?.entryCount { isUnchanged = false }
    let tree: ObjectID
    if isUnchanged, let cached = node.cached {
      tree = cached.tree
    } else {
      try node.forEachEntry { (_, name, encoded) throws(StoreError) in
        try builder?.append(name: name, encoded: encoded, to: writer)
      }
      guard let id = try builder?.finish(writer) else { throw .cancelled }
      tree = id
    }
    builder = nil
    let record = context.cacheWriter?.append(
      identity: node.status.identity, tree: tree, entryCount: count, entries: entries.bytes)
    return (tree, record ?? 0)
  }
}
