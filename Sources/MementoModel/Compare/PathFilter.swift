// Selects some paths of a tree.

/// Some paths of a tree and everything below them, as seen from one folder of the tree.
package struct PathFilter: Sendable {
  /// Selects everything.
  package static let all = PathFilter([])

  /// The selected paths that go through this folder, as lists of names, sorted.
  private var paths: ArraySlice<[[UInt8]]>
  /// How many names at the start of each path lead to this folder.
  private var depth = 0
  /// Whether everything below this folder is selected.
  package private(set) var isAll: Bool

  /// Selects the given paths and everything below them. Selects everything when there are none.
  package init(_ paths: [BytePath]) {
    let names = paths.map(\.components)
    self.paths = names.sorted { $0.lexicographicallyPrecedes($1) { $0.lexicographicallyPrecedes($1) } }[...]
    isAll = names.isEmpty || names.contains(where: \.isEmpty)
  }

  /// The filter for the entry `name` of this folder. Nil when nothing there is selected.
  package func inside(_ name: [UInt8]) -> PathFilter? {
    if isAll { return self }
    let start = firstIndex { !$0.lexicographicallyPrecedes(name) }
    let end = firstIndex { name.lexicographicallyPrecedes($0) }
    guard start < end else { return nil }
    var inside = self
    inside.paths = paths[start..<end]
    inside.depth = depth + 1
    // A path that ends here is sorted before those that continue.
    inside.isAll = paths[start].count == depth + 1
    return inside
  }

  /// The index of the first path whose next name fulfils a condition. All paths after it must fulfil it too.
  private func firstIndex(_ isBehind: ([UInt8]) -> Bool) -> Int {
    var (low, high) = (paths.startIndex, paths.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(paths[middle][depth]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Whether a path, relative to this folder, is selected.
  package func contains(_ path: [UInt8]) -> Bool {
    var filter = self
    var rest = path[...]
    // Read only as much of the path as decides: it may be a megabyte long.
    while !filter.isAll, !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      if end > rest.startIndex {
        guard let next = filter.inside(Array(rest[..<end])) else { return false }
        filter = next
      }
      rest = rest[end...].dropFirst()
    }
    return filter.isAll
  }
}
