// Tells which steps of the history left some paths as they were. In most steps of a long history nothing changed there, and to
// look a path up is much less work than to compare two trees.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

struct PathProbe: Sendable {
  /// So many pairs in a row are one task: a tree is the newer one of a pair and the older one of the next.
  private static let row = 16

  let paths: [BytePath]
  let source: any MetaSource
  let isCancelled: @Sendable () -> Bool

  /// Whether something may differ at or below the paths in each pair of trees; nil is a tree without entries. Where a tree
  /// cannot be read something may differ: whoever compares says what is wrong. Looks on all cores. Throws when cancelled.
  func mayDiffer(_ pairs: [(old: ObjectID?, new: ObjectID?)]) throws(StoreError) -> [Bool] {
    let found = Mutex([Bool](repeating: true, count: pairs.count))
    let rows = stride(from: 0, to: pairs.count, by: PathProbe.row).map { $0..<min($0 + PathProbe.row, pairs.count) }
    let stack = WorkStack<Range<Int>>()
    stack.push(rows.reversed())
    stack.run(workers: min(Host.processorCount(), rows.count)) { _, row in
      var last: (tree: ObjectID?, entries: [TreeEntry?])?
      for place in row {
        if isCancelled() { return }
        let (old, new) = pairs[place]
        var isSame = old == new
        if !isSame {
          do throws(StoreError) {
            let newer: [TreeEntry?]
            if let last, last.tree == new { newer = last.entries } else { newer = try entries(in: new) }
            let older = try entries(in: old)
            last = (old, older)
            isSame = newer == older
          } catch {
            last = nil
          }
        }
        found.withLock { $0[place] = !isSame }
      }
    }
    if isCancelled() { throw .cancelled }
    return found.withLock { $0 }
  }

  private func entries(in tree: ObjectID?) throws(StoreError) -> [TreeEntry?] {
    guard let tree else { return paths.map { _ in nil } }
    return try paths.map { (path) throws(StoreError) in try TreePath.entry(path, in: tree, source) }
  }
}
