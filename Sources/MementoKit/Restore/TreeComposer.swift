// A tree out of two: the folder as it is, with some paths as the target has them, or with everything of the target and
// what else is there.

internal import MementoStore

struct TreeComposer {
  private let current: any MetaSource
  private let target: any MetaSource
  private let paths: [BytePath]
  let filter: PathFilter
  private let keepExtra: Bool
  private let writer: ObjectWriter

  init(
    current: any MetaSource, target: any MetaSource, paths: [BytePath], keepExtra: Bool, writer: ObjectWriter
  ) {
    self.current = current
    self.target = target
    self.paths = paths
    filter = PathFilter(paths)
    self.keepExtra = keepExtra
    self.writer = writer
  }

  /// One directory that is being put together.
  private final class Frame {
    var old: [TreeEntry]
    var new: [TreeEntry]
    let filter: PathFilter
    var builder = TreeBuilder()
    /// The entry of this directory in the one above.
    let entry: TreeEntry?
    var count = 0

    init(old: [TreeEntry], new: [TreeEntry], filter: PathFilter, entry: TreeEntry?) {
      self.old = old.reversed()
      self.new = new.reversed()
      self.filter = filter
      self.entry = entry
    }
  }

  /// The id of the composed tree. Throws when a path is in neither.
  func run(current currentTree: ObjectID?, target targetTree: ObjectID) throws(RepositoryError) -> ObjectID {
    for path in paths { try check(path, currentTree, targetTree) }
    return try translating { () throws(StoreError) in try compose(currentTree, targetTree) }
  }

  private func check(_ path: BytePath, _ old: ObjectID?, _ new: ObjectID) throws(RepositoryError) {
    let isKnown = try translating { () throws(StoreError) in
      if try TreePath.entry(path, in: new, target) != nil { return true }
      guard let old else { return false }
      return try TreePath.entry(path, in: old, current) != nil
    }
    if isKnown || path.components.isEmpty { return }
    throw RepositoryError(.noSuchPath, "neither the snapshot nor the folder has \(path)", path: path)
  }

  private func compose(_ old: ObjectID?, _ new: ObjectID) throws(StoreError) -> ObjectID {
    var frames = [try frame(old, new, filter, entry: nil)]
    while true {
      let frame = frames[frames.count - 1]
      if let (before, after) = TreeComposer.step(frame) {
        if let inner = try decide(frame, before, after) { frames.append(inner) }
        continue
      }
      let tree = try frame.builder.finish(writer)
      frames.removeLast()
      guard var entry = frame.entry, let up = frames.last else { return tree }
      // A folder that only led to paths which are not there is no folder.
      if frame.count == 0, !frame.filter.isAll, frame.old.isEmpty, entry.tree == nil { continue }
      entry.content = .directory(tree)
      try append(entry, to: up)
    }
  }

  private func frame(
    _ old: ObjectID?, _ new: ObjectID?, _ filter: PathFilter, entry: TreeEntry?
  ) throws(StoreError) -> Frame {
    Frame(
      old: try old.map { (id) throws(StoreError) in try TreeReader.entries(of: id, in: current) } ?? [],
      new: try new.map { (id) throws(StoreError) in try TreeReader.entries(of: id, in: target) } ?? [],
      filter: filter, entry: entry)
  }

  private static func step(_ frame: Frame) -> (TreeEntry?, TreeEntry?)? {
    guard let before = frame.old.last else { return frame.new.popLast().map { (nil, $0) } }
    guard let after = frame.new.last else { return (frame.old.removeLast(), nil) }
    if before.name == after.name { return (frame.old.removeLast(), frame.new.removeLast()) }
    return before.name.lexicographicallyPrecedes(after.name)
      ? (frame.old.removeLast(), nil) : (nil, frame.new.removeLast())
  }

  /// Takes one side, or returns the frame of a directory that both have a part in.
  private func decide(_ frame: Frame, _ old: TreeEntry?, _ new: TreeEntry?) throws(StoreError) -> Frame? {
    guard let name = (old ?? new)?.name, let inside = frame.filter.inside(name) else {
      if let old { try append(old, to: frame) }
      return nil
    }
    if inside.isAll {
      if keepExtra, let old, old.isDirectory, let new, new.isDirectory {
        return try self.frame(old.tree, new.tree, inside, entry: new)
      }
      if let entry = new ?? (keepExtra ? old : nil) { try append(entry, to: frame) }
      return nil
    }
    switch (old?.isDirectory, new?.isDirectory) {
    case (true?, _), (nil, true?), (false?, true?):
      let isNew = new?.isDirectory == true
      return try self.frame(old?.tree, isNew ? new?.tree : nil, inside, entry: old?.isDirectory == true ? old : new)
    case (_, false?), (_, nil):
      if let old { try append(old, to: frame) }
      return nil
    }
  }

  private func append(_ entry: TreeEntry, to frame: Frame) throws(StoreError) {
    var out = ByteWriter()
    TreeEntryCodec.encode(entry, into: &out)
    frame.count += 1
    try out.bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try entry.name.withUnsafeBufferPointer { (name) throws(StoreError) in
        try frame.builder.append(name: name, encoded: UnsafeRawBufferPointer(bytes), to: writer)
      }
    }
  }

  /// The hard links of the composed tree: those of the target where it was taken, those of the folder elsewhere. `source`
  /// has the composed tree.
  func links(
    current currentLinks: [[[UInt8]]], target targetLinks: [[[UInt8]]], of composed: ObjectID,
    in source: any MetaSource, from targetTree: ObjectID
  ) throws(StoreError) -> [[[UInt8]]] {
    var groups = targetLinks.map { $0.filter { filter.contains($0) } }
    for group in currentLinks {
      var kept: [[UInt8]] = []
      for path in group where try isKept(path, composed, source, targetTree) { kept.append(path) }
      groups.append(kept)
    }
    return groups.filter { $0.count > 1 }.sorted { $0[0].lexicographicallyPrecedes($1[0]) }
  }

  /// Whether a file of the folder is the one that the composed tree has at its path: not replaced by one of the target, nor
  /// by a folder that leads to one, and not gone with a folder in whose place the target has something else.
  private func isKept(
    _ path: [UInt8], _ composed: ObjectID, _ source: any MetaSource, _ targetTree: ObjectID
  ) throws(StoreError) -> Bool {
    guard let entry = try TreePath.entry(BytePath(path), in: composed, source), !entry.isDirectory else { return false }
    if !filter.contains(path) { return true }
    if !keepExtra { return false }
    return try TreePath.entry(BytePath(path), in: targetTree, target) == nil
  }
}
