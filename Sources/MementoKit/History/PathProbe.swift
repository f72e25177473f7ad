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
          for (before, after) in zip(older, newer) where before != after {
            if try isChange(before, after) { return true }
          }
          return false
        } catch {
          last = nil
          return nil
        }
      }
    }
    if isCancelled() { throw .cancelled }
    return found
  }

  /// Whether a comparison has a change at the path of two entries, or below it: of a folder, what is in it counts, and not its
  /// own times.
  private func isChange(_ before: TreeEntry?, _ after: TreeEntry?) throws(StoreError) -> Bool {
    if ChangeKind(before, after) != nil { return true }
    var isFound = false
    try TreeDiff(old: source, new: source, isCancelled: isCancelled).walk(
      from: before?.tree, to: after?.tree, label: 0
    ) { (_, before, after) throws(StoreError) -> TreeStep in
      isFound = ChangeKind(before, after) != nil
      return isFound ? .stop : .enter(0)
    }
    return isFound
  }

  private func entries(in tree: ObjectID?) throws(StoreError) -> [TreeEntry?] {
    guard let tree else { return paths.map { _ in nil } }
    return try paths.map { (path) throws(StoreError) in try TreePath.entry(path, in: tree, source) }
  }
}
