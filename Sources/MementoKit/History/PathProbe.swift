// Tells which steps of the history left some paths as they were. In most steps of a long history nothing changed there, and to
// look a path up is much less work than to compare two trees.

internal import MementoStore
internal import MementoSystem

struct PathProbe: Sendable {
  /// So many pairs in a row are one task: a tree is the newer one of a pair and the older one of the next.
  private static let row = 16

  let paths: [BytePath]
  let source: any MetaSource
  let isCancelled: @Sendable () -> Bool

  /// Whether something differs at or below the paths in each pair of trees; a nil tree has no entries. Nil where a tree cannot
  /// be read: whoever compares says what is wrong. Looks on all cores. Throws when cancelled.
  func differences(_ pairs: [(old: ObjectID?, new: ObjectID?)]) throws(StoreError) -> [Bool?] {
    let found = ParallelRows.map(pairs.count, rowsOf: PathProbe.row) { row -> [Bool?] in
      let comparison = PathComparison(source: source, paths: paths, isCancelled: isCancelled)
      var last: (tree: ObjectID?, entries: [TreeEntry?])?
      return row.map { place in
        let (old, new) = pairs[place]
        if old == new { return false }
        if isCancelled() { return nil }
        do throws(StoreError) {
          let newer: [TreeEntry?]
          if let last, last.tree == new { newer = last.entries } else { newer = try entries(in: new) }
          let older = try entries(in: old)
          last = (old, older)
          if newer == older { return false }
          if zip(older, newer).contains(where: { ChangeKind($0, $1) != nil }) { return true }
          // Of a folder, what is in it counts, and not its own times.
          guard let new else { return nil }
          return try !comparison.changes(from: old, to: new, all: false).isEmpty
        } catch {
          last = nil
          return nil
        }
      }
    }
    if isCancelled() { throw .cancelled }
    return found
  }

  private func entries(in tree: ObjectID?) throws(StoreError) -> [TreeEntry?] {
    guard let tree else { return paths.map { _ in nil } }
    return try paths.map { (path) throws(StoreError) in try TreePath.entry(path, in: tree, source) }
  }
}
