// Changes single entries of a tree, and the trees of all folders above them.

internal import MementoStore
internal import MementoSystem

/// Edits of a tree by path.
struct TreeEdits {
  enum Edit {
    /// The path becomes this entry, with all that is in it.
    case set(TreeEntry)
    case remove
    /// The folder gets other metadata.
    case metadata(FileMetadata)
    /// The folder is made where it is missing and something is put into it; with `evenEmpty`, in any case.
    case make(FileMetadata, evenEmpty: Bool)
    /// The folder is removed if nothing is left in it.
    case removeIfEmpty
  }

  private final class Node {
    var edit: Edit?
    var inner: [[UInt8]: Node] = [:]
  }

  private let root = Node()
  private(set) var isEmpty = true

  /// Adds an edit. There is one for each path.
  mutating func add(_ edit: Edit, at path: BytePath) {
    var node = root
    for name in path.components {
      let next = node.inner[name] ?? Node()
      node.inner[name] = next
      node = next
    }
    node.edit = edit
    isEmpty = false
  }

  /// One folder that is being edited.
  private final class Frame {
    let name: [UInt8]
    let node: Node
    /// Its entry before; nil when it is made.
    let entry: TreeEntry?
    var entries: [[UInt8]: TreeEntry]
    var pending: [[UInt8]]

    init(_ name: [UInt8], _ node: Node, _ entry: TreeEntry?, _ entries: [TreeEntry]) {
      self.name = name
      self.node = node
      self.entry = entry
      self.entries = Dictionary(entries.map { ($0.name, $0) }) { first, _ in first }
      pending = Array(node.inner.keys)
    }
  }

  /// The tree with these edits. `source` can read the tree.
  func applied(
    to tree: ObjectID, _ source: any MetaSource, _ writer: ObjectWriter
  ) throws(StoreError) -> ObjectID {
    var frames = [Frame([], root, nil, try TreeReader.entries(of: tree, in: source))]
    while true {
      let frame = frames[frames.count - 1]
      if let name = frame.pending.popLast() {
        if let inner = try step(frame, name, source) { frames.append(inner) }
        continue
      }
      frames.removeLast()
      guard let up = frames.last else {
        let edited = try TreeEdits.write(frame.entries.values, writer)
        try writer.flush()  // the caller reads the tree
        return edited
      }
      up.entries[frame.name] = try finished(frame, writer)
    }
  }

  /// Edits one name of a folder, or returns the frame of a folder in it.
  private func step(_ frame: Frame, _ name: [UInt8], _ source: any MetaSource) throws(StoreError) -> Frame? {
    guard let node = frame.node.inner[name] else { return nil }
    let present = frame.entries[name]
    switch node.edit {
    case .set(var entry):
      entry.name = name
      frame.entries[name] = entry
      return nil
    case .remove:
      frame.entries[name] = nil
      return nil
    case .metadata, .make, .removeIfEmpty, nil:
      // Something that is no folder stays as it is.
      if let present, !present.isDirectory { return nil }
      guard let tree = present?.tree else { return Frame(name, node, present, []) }
      return Frame(name, node, present, try TreeReader.entries(of: tree, in: source))
    }
  }

  /// The entry of an edited folder; nil when there is none any more.
  private func finished(_ frame: Frame, _ writer: ObjectWriter) throws(StoreError) -> TreeEntry? {
    var metadata = frame.entry?.metadata
    switch frame.node.edit {
    case .metadata(let other)? where frame.entry != nil:
      metadata = other
    case .make(let other, let evenEmpty)? where frame.entry == nil:
      if frame.entries.isEmpty, !evenEmpty { return nil }
      metadata = other
    case .removeIfEmpty? where frame.entries.isEmpty:
      return nil
    default:
      break
    }
    guard let metadata else { return nil }
    return TreeEntry(
      name: frame.name, metadata: metadata, content: .directory(try TreeEdits.write(frame.entries.values, writer)))
  }

  private static func write(
    _ entries: some Sequence<TreeEntry>, _ writer: ObjectWriter
  ) throws(StoreError) -> ObjectID {
    var builder = TreeBuilder()
    for entry in entries.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      var out = ByteWriter()
      TreeEntryCodec.encode(entry, into: &out)
      try out.bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
        try entry.name.withUnsafeBufferPointer { (name) throws(StoreError) in
          try builder.append(name: name, encoded: UnsafeRawBufferPointer(bytes), to: writer)
        }
      }
    }
    return try builder.finish(writer)
  }
}
