// Tells what differs in many pairs of trees, on all cores. Pairs that follow each other often share a tree: each core takes
// several in a row.

internal import MementoStore
internal import MementoSystem

/// What was found in a pair of trees.
struct TreePairFinding<Item: Sendable>: Sendable {
  var items: [Item] = []
  /// The trees that could not be read, with the path of each.
  var damage: [(path: BytePath, error: StoreError)] = []
}

struct TreePairWalk: Sendable {
  /// So many pairs in a row are one task.
  private static let row = 8

  private let source: any MetaSource
  private let paths: [BytePath]
  private let pathspecs: [Pathspec]
  private let isCancelled: @Sendable () -> Bool

  /// `paths`, `pathspecs`: only what these select; everything when there are none.
  init(
    _ source: any MetaSource, paths: [BytePath], pathspecs: [Pathspec] = [],
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.source = source
    self.paths = paths
    self.pathspecs = pathspecs
    self.isCancelled = isCancelled
  }

  /// The findings of each pair, in the order of `pairs`; nil is a tree without entries. `item` is called with each path that differs, in the order of paths,
  /// on one of several threads; what it returns is an item. Throws what is not damage, and `.cancelled`.
  func run<Item: Sendable>(
    _ pairs: [(old: ObjectID?, new: ObjectID?)],
    _ item: @escaping @Sendable (_ path: BytePath, _ old: TreeEntry?, _ new: TreeEntry?) -> Item?
  ) throws(StoreError) -> [TreePairFinding<Item>] {
    let findings = ParallelRows.map(pairs.count, rowsOf: TreePairWalk.row) { row in
      var walk = TreeWalk(source, paths: paths, pathspecs: pathspecs, isCancelled: isCancelled)
      return row.map { place in
        if isCancelled() { return Result<TreePairFinding<Item>, StoreError>.failure(.cancelled) }
        let known = walk.damage.count
        return Result { () throws(StoreError) in
          var finding = TreePairFinding<Item>()
          try walk.walk(from: pairs[place].old, to: pairs[place].new) { (path, old, new) throws(StoreError) in
            if let found = item(path, old, new) { finding.items.append(found) }
          }
          finding.damage = Array(walk.damage[known...])
          return finding
        }
      }
    }
    return try findings.map { (finding) throws(StoreError) in try finding.get() }
  }
}
