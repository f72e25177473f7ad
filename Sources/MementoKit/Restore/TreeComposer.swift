// Composes a tree of two: the current tree with some paths taken from the target, or the target with additional entries
// of the current tree.

internal import MementoStore

struct TreeComposer {
  /// The source of both trees.
  private let source: any MetaSource
  /// The paths that are taken from the target.
  private let filter: PathFilter
  /// The paths that stay as they are all the same.
  private let kept: ProtectedPaths?
  /// Whether entries stay that the target does not have.
  private let keepExtra: Bool
  /// Whether the folders that lead to the paths get their time from the target.
  private let takesTimes: Bool
  /// The tree at the other end of an interrupted restore. That restore has made the folders that lead to the paths,
  /// hold nothing else, and exist at only one end. It may not have set their metadata. Those that exist at both ends get
  /// the time in which these agree: it has changed when something was put into them.
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

  /// One directory that is being composed.
  private final class Frame {
    let path: BytePath
    var old: [TreeEntry]
    var new: [TreeEntry]
    let filter: PathFilter
    var builder = TreeBuilder()
    /// The entry of this directory in its parent.
    let entry: TreeEntry?
    var count = 0
    /// Whether the directory is left out when it is empty. `instead` then takes its place.
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

  /// Throws `.noSuchPath` when a path is in none of these trees.
  static func check(
    _ paths: [BytePath], in trees: [ObjectID?], _ source: any MetaSource
  ) throws(RepositoryError) {
    for path in paths where !path.components.isEmpty {
      let isKnown = try translating { () throws(StoreError) in
        for case let tree? in trees where try TreePath.entry(path, in: tree, source) != nil { return true }
        return false
      }
      if isKnown { continue }
      throw .unknownPath(path, "neither the snapshot nor the folder has \(path)", in: trees, source)
    }
  }

  /// Composes the tree and returns its id. `current`: nil for an empty folder.
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

  /// Takes the entry of one side, or returns the frame of a directory to which both sides contribute.
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

  /// Decides about a name that is selected with all that is in it.
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
      // A folder that is removed may hold files that stay. Then the folder stays, too.
      let inner = try self.frame(path, old?.tree, nil, inside, entry: old)
      inner.needsContent = true
      inner.instead = new
      return inner
    }
    if let entry = new ?? (keepExtra ? old : nil) { try append(entry, to: frame) }
    return nil
  }

  /// Decides about a name on the way to a selected path.
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
    var isMade = false
    if isOld, let end = try entryAtOtherEnd(path) {
      isMade = try self.isMade(old, isNew, end, inside)
      // The interrupted restore has put something into the folder, and not set its time yet.
      if isNew, end.isDirectory, let time = new?.metadata.modified, end.entry?.metadata.modified == time {
        entry?.metadata.modified = time
      }
    }
    if isMade, isNew { entry = new }
    let inner = try self.frame(
      path, isOld ? old?.tree : nil, isNew ? new?.tree : nil, inside, entry: entry)
    // A folder that only the target has is left out when none of the selected paths is in it.
    inner.needsContent = !isOld || (isMade && !isNew)
    inner.instead = isMade ? nil : old
    return inner
  }

  /// What the other end of an interrupted restore has at a path.
  private struct EndEntry {
    let entry: TreeEntry?
    var isDirectory: Bool { entry?.isDirectory == true }
  }

  /// Nil when there is no other end, or it is damaged: then the folders on the way stay as they are.
  private func entryAtOtherEnd(_ path: BytePath) throws(StoreError) -> EndEntry? {
    guard let otherEnd else { return nil }
    do throws(StoreError) {
      return EndEntry(entry: try TreePath.entry(path, in: otherEnd, source))
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// Whether an interrupted restore has made this folder on the way to the paths. `isNew`: the target has it.
  private func isMade(
    _ folder: TreeEntry?, _ isNew: Bool, _ end: EndEntry, _ filter: PathFilter
  ) throws(StoreError) -> Bool {
    guard let tree = folder?.tree, end.isDirectory != isNew else { return false }
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

  /// The hard links of the composed tree: those of the target for paths that were taken from it, and those of the
  /// current tree for all others. `source` can read the composed tree.
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

  /// Whether the file of the current tree is still at its path in the composed tree: it was not replaced by a file or
  /// folder of the target, and it was not removed with its folder.
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
