// Selects paths of a tree by paths or by pathspecs, while a walk goes down the tree.

/// Some paths of a tree, as seen from one folder of it.
package struct PathSelector: Sendable {
  private enum Means: Sendable {
    case paths(PathFilter)
    case pathspecs(PathspecFilter)
  }

  private let means: Means

  /// Selects everything when there are neither paths nor pathspecs. Exclusions alone leave out from everything.
  package init(_ paths: [BytePath] = [], _ pathspecs: [Pathspec] = []) {
    means =
      pathspecs.isEmpty
      ? .paths(PathFilter(paths)) : .pathspecs(PathspecFilter(pathspecs + paths.map { Pathspec(path: $0) }))
  }

  private init(_ means: Means) {
    self.means = means
  }

  /// Whether everything below this folder is selected, and the folder itself.
  package var isAll: Bool {
    switch means {
    case .paths(let filter): filter.isAll
    case .pathspecs(let filter): filter.isAll
    }
  }

  /// Whether the folder itself is selected.
  package var isMeant: Bool {
    switch means {
    case .paths(let filter): filter.isAll
    case .pathspecs(let filter): filter.isMeant
    }
  }

  /// The selector for the entry `name` of this folder; nil when nothing there is selected. What is no folder is selected
  /// when there is a selector for it and `isMeant` is true.
  package func inside(_ name: [UInt8], isFolder: Bool) -> PathSelector? {
    switch means {
    case .paths(let filter): filter.inside(name).map { PathSelector(.paths($0)) }
    case .pathspecs(let filter): filter.inside(name, isFolder: isFolder).map { PathSelector(.pathspecs($0)) }
    }
  }

  /// The selector for a name with an entry on each of two sides. A name that is a folder on one side only is selected as
  /// what it is on the other side, if it can be.
  package func inside(_ old: TreeEntry?, _ new: TreeEntry?) -> PathSelector? {
    guard let name = (new ?? old)?.name else { return nil }
    let isFolder = old?.isDirectory == true || new?.isDirectory == true
    if isFolder, old?.isDirectory == false || new?.isDirectory == false,
      let inside = inside(name, isFolder: false), inside.isMeant
    {
      return inside
    }
    return inside(name, isFolder: isFolder)
  }

  /// Whether a file at this path, relative to this folder, is selected.
  package func contains(_ path: BytePath) -> Bool {
    var selector = self
    let names = path.components
    for (index, name) in names.enumerated() {
      if selector.isAll { return true }
      guard let inside = selector.inside(name, isFolder: index < names.count - 1) else { return false }
      selector = inside
    }
    return selector.isMeant
  }
}

/// Pathspecs as seen from one folder of a tree.
private struct PathspecFilter: Sendable {
  private let inclusions: [Pathspec]
  private let exclusions: [Pathspec]
  private var path = BytePath("")
  /// Whether everything below this folder is included, unless it is excluded.
  private var isIncluded: Bool
  private(set) var isAll: Bool
  private(set) var isMeant: Bool

  init(_ pathspecs: [Pathspec]) {
    inclusions = pathspecs.filter { !$0.isExclusion }
    exclusions = pathspecs.filter(\.isExclusion)
    let isExcluded = exclusions.contains(where: \.isEverything)
    isIncluded = !isExcluded && (inclusions.isEmpty || inclusions.contains(where: \.isEverything))
    isAll = isIncluded && exclusions.isEmpty
    isMeant = isIncluded
  }

  func inside(_ name: [UInt8], isFolder: Bool) -> PathspecFilter? {
    if isAll { return self }
    var inside = self
    inside.path = path.appending(name)
    let path = inside.path.bytes
    var isMeant = true
    for exclusion in exclusions {
      if exclusion.isEverything { return nil }
      switch exclusion.match(path, isFolder: isFolder) {
      case .whole: return nil
      case .itself: isMeant = false
      case .none: break
      }
    }
    var matches = isIncluded
    if !isIncluded {
      for inclusion in inclusions {
        switch inclusion.match(path, isFolder: isFolder) {
        case .whole: (inside.isIncluded, matches) = (true, true)
        case .itself: matches = true
        case .none: break
        }
        if inside.isIncluded { break }
      }
    }
    inside.isMeant = matches && isMeant
    if !isFolder {
      inside.isAll = inside.isMeant
      return inside.isMeant ? inside : nil
    }
    if !matches, !inclusions.contains(where: { $0.mayMatch(in: path) }) { return nil }
    inside.isAll = inside.isIncluded && inside.isMeant && !exclusions.contains { $0.mayMatch(in: path) }
    return inside
  }
}
