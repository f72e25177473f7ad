// Which paths are meant, where only some are.

/// Some paths of a tree with all that is in them.
final class PathFilter: Sendable {
  private let children: [[UInt8]: PathFilter]
  /// Everything from here down.
  let isAll: Bool

  static let all = PathFilter(children: [:], isAll: true)

  private init(children: [[UInt8]: PathFilter], isAll: Bool) {
    self.children = children
    self.isAll = isAll
  }

  /// The given paths and all that is in them; everything when there are none.
  convenience init(_ paths: [BytePath]) {
    self.init(paths.map(\.components)[...])
  }

  private convenience init(_ paths: ArraySlice<[[UInt8]]>) {
    if paths.contains(where: \.isEmpty) || paths.isEmpty {
      self.init(children: [:], isAll: true)
      return
    }
    var groups: [[UInt8]: [[[UInt8]]]] = [:]
    for path in paths { groups[path[0], default: []].append(Array(path.dropFirst())) }
    self.init(children: groups.mapValues { PathFilter($0[...]) }, isAll: false)
  }

  /// What is meant inside of a name; nil: nothing.
  func inside(_ name: [UInt8]) -> PathFilter? {
    isAll ? self : children[name]
  }

  func contains(_ path: [UInt8]) -> Bool {
    var filter = self
    for name in path.split(separator: UInt8(ascii: "/")) {
      guard let next = filter.inside(Array(name)) else { return false }
      filter = next
    }
    return filter.isAll
  }
}
