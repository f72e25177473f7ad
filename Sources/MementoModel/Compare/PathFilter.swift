// Which paths are meant, where only some are.

/// Some paths of a tree with all that is in them, as seen from one of its folders.
package struct PathFilter: Sendable {
  package static let all = PathFilter([])

  /// The paths that lead through this folder, as names, sorted.
  private var paths: ArraySlice<[[UInt8]]>
  /// How many of their names lead here.
  private var depth = 0
  /// Everything from here down.
  package private(set) var isAll: Bool

  /// The given paths and all that is in them; everything when there are none.
  package init(_ paths: [BytePath]) {
    let names = paths.map(\.components)
    self.paths = names.sorted { $0.lexicographicallyPrecedes($1) { $0.lexicographicallyPrecedes($1) } }[...]
    isAll = names.isEmpty || names.contains(where: \.isEmpty)
  }

  /// What is meant inside of a name; nil: nothing.
  package func inside(_ name: [UInt8]) -> PathFilter? {
    if isAll { return self }
    let start = firstIndex { !$0.lexicographicallyPrecedes(name) }
    let end = firstIndex { name.lexicographicallyPrecedes($0) }
    guard start < end else { return nil }
    var inside = self
    inside.paths = paths[start..<end]
    inside.depth = depth + 1
    // A path that ends here stands before those that go on.
    inside.isAll = paths[start].count == depth + 1
    return inside
  }

  /// The first path whose next name a condition holds for; those after it fulfil it, too.
  private func firstIndex(_ isBehind: ([UInt8]) -> Bool) -> Int {
    var (low, high) = (paths.startIndex, paths.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(paths[middle][depth]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  package func contains(_ path: [UInt8]) -> Bool {
    var filter = self
    var rest = path[...]
    // No more of a path is looked at than decides: it may be a megabyte.
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
