// Tells what differs between two trees, for searches over time: what cannot be read is named, and the rest goes on. A
// damaged tree ends where it is damaged, on both sides, so that what is lost is lost in all states that have it.
//
// TreeDiff ends with the first damage, as commands must that rely on the answer.

internal import MementoStore

/// A walk through pairs of trees. Reads only what differs, and holds one folder of each level.
struct TreeWalk {
  private struct Side {
    var reader: TreeReader<StoreError>?
    var entry: TreeEntry?
    let tree: ObjectID?
    let source: any MetaSource

    init(_ tree: ObjectID?, in source: any MetaSource) {
      self.tree = tree
      self.source = source
      reader = tree.map { TreeReader($0, in: source) }
    }
  }

  private struct Folder {
    let path: BytePath
    let selector: PathSelector
    var old: Side
    var new: Side
  }

  private let source: any MetaSource
  private let selector: PathSelector
  private let isCancelled: () -> Bool
  /// The trees that cannot be read, with the path at which that was found first.
  private(set) var damage: [(path: BytePath, error: StoreError)] = []
  private var damaged: Set<ObjectID> = []

  /// `paths`, `pathspecs`: only what these select; everything when there are none.
  init(
    _ source: any MetaSource, paths: [BytePath], pathspecs: [Pathspec] = [], isCancelled: @escaping () -> Bool
  ) {
    self.source = source
    selector = PathSelector(paths, pathspecs)
    self.isCancelled = isCancelled
  }

  /// Calls `visit` with each path that differs, in the order of paths. Nil is a tree without entries. Throws what is not
  /// damage, and `.cancelled`.
  mutating func walk(
    from old: ObjectID?, to new: ObjectID?,
    _ visit: (_ path: BytePath, _ old: TreeEntry?, _ new: TreeEntry?) throws(StoreError) -> Void
  ) throws(StoreError) {
    if old == new { return }
    var folders = [
      Folder(path: BytePath(""), selector: selector, old: Side(old, in: source), new: Side(new, in: source))
    ]
    while let place = folders.indices.last {
      guard let (old, new) = try nextPair(&folders[place]) else {
        folders.removeLast()
        if isCancelled() { throw .cancelled }
        continue
      }
      guard old != new, let name = (new ?? old)?.name, let inside = folders[place].selector.inside(old, new) else {
        continue
      }
      let path = folders[place].path.appending(name)
      if inside.isMeant { try visit(path, old, new) }
      let (oldTree, newTree) = (old?.tree, new?.tree)
      if oldTree != newTree {
        folders.append(
          Folder(path: path, selector: inside, old: Side(oldTree, in: source), new: Side(newTree, in: source)))
      }
    }
  }

  /// The next name of either side, with its entries; nil at the end.
  private mutating func nextPair(_ folder: inout Folder) throws(StoreError) -> (TreeEntry?, TreeEntry?)? {
    if folder.old.entry == nil, folder.new.entry == nil, var old = folder.old.reader, var new = folder.new.reader {
      folder.old.reader = nil
      folder.new.reader = nil
      TreeReader.passEqual(&old, &new)
      folder.old.reader = old
      folder.new.reader = new
    }
    try fill(&folder.old, folder.path)
    try fill(&folder.new, folder.path)
    guard let old = folder.old.entry else {
      guard let new = folder.new.entry else { return nil }
      folder.new.entry = nil
      return (nil, new)
    }
    guard let new = folder.new.entry else {
      folder.old.entry = nil
      return (old, nil)
    }
    if old.name == new.name {
      folder.old.entry = nil
      folder.new.entry = nil
      return (old, new)
    }
    if old.name.lexicographicallyPrecedes(new.name) {
      folder.old.entry = nil
      return (old, nil)
    }
    folder.new.entry = nil
    return (nil, new)
  }

  private mutating func fill(_ side: inout Side, _ path: BytePath) throws(StoreError) {
    guard side.entry == nil, side.reader != nil else { return }
    do throws(StoreError) {
      side.entry = try side.reader?.next()
    } catch {
      guard error.isLost else { throw error }
      side.reader = nil
      if let tree = side.tree, damaged.insert(tree).inserted { damage.append((path, error)) }
      return
    }
    if side.entry == nil { side.reader = nil }
  }
}

extension StoreError {
  /// Whether something cannot be read that was stored. A search names it and goes on.
  var isLost: Bool {
    if case .missing = self { return true }
    return RepositoryError(self).isDamage
  }
}
