// A tree out of two: the current one, with some paths as the target has them, or with everything of the target and what
// else is there.

internal import MementoStore

struct TreeComposer {
  /// Has both trees.
  private let source: any MetaSource
  /// What is taken from the target.
  private let filter: PathFilter
  /// What stays as it is all the same.
  private let kept: ProtectedPaths?
  /// What the target does not have stays.
  private let keepExtra: Bool
  /// The folders that lead to the paths get the time that they have in the target.
  private let takesTimes: Bool
  /// Of an interrupted restore, the tree of its other end. Of the folders that lead to the paths and hold nothing else, it has
  /// made those which only one of its ends has, and may not have come to give them their metadata.
  private let otherEnd: ObjectID?
  private let writer: ObjectWriter

  init(
    source: any MetaSource, filter: PathFilter, kept: ProtectedPaths?, keepExtra: Bool, takesTimes: Bool,
    otherEnd: ObjectID? = nil, writer: ObjectWriter
  ) {
    self.source = source
    self.filter = filter
    self.kept = kept
    self.keepExtra = keepExtra
    self.takesTimes = takesTimes
    self.otherEnd = otherEnd
    self.writer = writer
  }

  /// One directory that is being put together.
  private final class Frame {
    let path: BytePath
    var old: [TreeEntry]
    var new: [TreeEntry]
    let filter: PathFilter
    var builder = TreeBuilder()
    /// The entry of this directory in the one above.
    let entry: TreeEntry?
    var count = 0
    /// When nothing is in it, it is no folder, and `instead` takes its place.
    var needsContent = false
    var instead: TreeEntry?

    init(_ path: BytePath, old: [TreeEntry], new: [TreeEntry], filter: PathFilter, entry: TreeEntry?) {
      self.path = path
      self.old = old.reversed()
      self.new = new.reversed()
      self.filter = filter
      self.entry = entry
    }
  }

  /// Throws when a path is in none of these trees.
  static func check(
    _ paths: [BytePath], in trees: [ObjectID?], _ source: any MetaSource
  ) throws(RepositoryError) {
    for path in paths where !path.components.isEmpty {
      let isKnown = try translating { () throws(StoreError) in
        for case let tree? in trees where try TreePath.entry(path, in: tree, source) != nil { return true }
        return false
      }
      if isKnown { continue }
      throw RepositoryError(.noSuchPath, "neither the snapshot nor the folder has \(path)", path: path)
    }
  }

  /// The id of the composed tree. `current`: nil when there is nothing.
  func run(current: ObjectID?, target: ObjectID) throws(StoreError) -> ObjectID {
    var frames = [try frame(BytePath(""), current, target, filter, entry: nil)]
    while true {
      let frame = frames[frames.count - 1]
      if let (before, after) = TreeComposer.step(frame) {
        if let inner = try decide(frame, before, after) { frames.append(inner) }
        continue
      }
      let tree = try frame.builder.finish(writer)
      frames.removeLast()
      guard var entry = frame.entry, let up = frames.last else { return tree }
      if frame.needsContent, frame.count == 0 {
        if let instead = frame.instead { try append(instead, to: up) }
        continue
      }
      entry.content = .directory(tree)
      try append(entry, to: up)
    }
  }

  private func frame(
    _ path: BytePath, _ old: ObjectID?, _ new: ObjectID?, _ filter: PathFilter, entry: TreeEntry?
  ) throws(StoreError) -> Frame {
    Frame(
      path, old: try old.map { (id) throws(StoreError) in try TreeReader.entries(of: id, in: source) } ?? [],
      new: try new.map { (id) throws(StoreError) in try TreeReader.entries(of: id, in: source) } ?? [],
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
    let path = frame.path.appending(name)
    if let kept, let isFolder = (old ?? new)?.isDirectory, kept.contains(path.bytes, isFolder: isFolder) {
      if let old { try append(old, to: frame) }
      return nil
    }
    return inside.isAll
      ? try decideWhole(frame, path, inside, old, new) : try decideWay(frame, path, inside, old, new)
  }

  /// A name that is meant with all that is in it.
  private func decideWhole(
    _ frame: Frame, _ path: BytePath, _ inside: PathFilter, _ old: TreeEntry?, _ new: TreeEntry?
  ) throws(StoreError) -> Frame? {
    let isOld = old?.isDirectory == true
    let isNew = new?.isDirectory == true
    let isMixed = kept != nil ? (isOld || isNew) && old != new : keepExtra && isOld && isNew
    if isMixed, isNew {
      return try self.frame(path, isOld ? old?.tree : nil, new?.tree, inside, entry: new)
    }
    if isMixed, !(keepExtra && new == nil) {
      // Something in a folder that is to go may be kept, and the folder with it.
      let inner = try self.frame(path, old?.tree, nil, inside, entry: old)
      inner.needsContent = true
      inner.instead = new
      return inner
    }
    if let entry = new ?? (keepExtra ? old : nil) { try append(entry, to: frame) }
    return nil
  }

  /// A name that leads to what is meant.
  private func decideWay(
    _ frame: Frame, _ path: BytePath, _ inside: PathFilter, _ old: TreeEntry?, _ new: TreeEntry?
  ) throws(StoreError) -> Frame? {
    let isOld = old?.isDirectory == true
    let isNew = new?.isDirectory == true
    guard isOld || isNew else {
      if let old { try append(old, to: frame) }
      return nil
    }
    var entry = isOld ? old : new
    if takesTimes, isOld, isNew, let modified = new?.metadata.modified { entry?.metadata.modified = modified }
    let isMade = isOld ? try isMade(path, old, new, inside) : false
    if isMade, isNew { entry = new }
    let inner = try self.frame(
      path, isOld ? old?.tree : nil, isNew ? new?.tree : nil, inside, entry: entry)
    // A folder of the target that only led to paths which are not there is no folder.
    inner.needsContent = !isOld || (isMade && !isNew)
    inner.instead = isMade ? nil : old
    return inner
  }

  /// Whether an interrupted restore has made this folder, which leads to the paths. Where the other end is damaged the folder
  /// stays as it is.
  private func isMade(
    _ path: BytePath, _ folder: TreeEntry?, _ new: TreeEntry?, _ filter: PathFilter
  ) throws(StoreError) -> Bool {
    guard let otherEnd, let tree = folder?.tree else { return false }
    let isThere: Bool
    do throws(StoreError) {
      isThere = try TreePath.entry(path, in: otherEnd, source)?.isDirectory == true
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
    if isThere == (new?.isDirectory == true) { return false }
    return try TreeReader.entries(of: tree, in: source).allSatisfy { filter.inside($0.name) != nil }
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

  /// The hard links of the composed tree: those of the target where it was taken, those of the current tree elsewhere.
  /// `source` has the composed tree.
  func links(
    current currentLinks: [[[UInt8]]], target targetLinks: [[[UInt8]]], of composed: ObjectID,
    in source: any MetaSource, from targetTree: ObjectID
  ) throws(StoreError) -> [[[UInt8]]] {
    var groups = targetLinks.map { $0.filter { isTaken($0) } }
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
    if !isTaken(path) { return true }
    if !keepExtra { return false }
    return try TreePath.entry(BytePath(path), in: targetTree, source) == nil
  }

  /// Whether a file is taken from the target.
  private func isTaken(_ path: [UInt8]) -> Bool {
    filter.contains(path) && kept?.covers(path) != true
  }
}
