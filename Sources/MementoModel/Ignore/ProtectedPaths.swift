// `protect` in the config: paths that are saved, and that no restore, undo or redo overwrites or removes.

package struct ProtectedPaths: Sendable {
  private let list: IgnoreList

  /// Nil when nothing is protected.
  package init?(_ lines: [(line: Int, pattern: [UInt8])]) {
    list = IgnoreList(lines: lines, source: BytePath("config"))
    if list.isEmpty { return nil }
  }

  /// Whether a path or a folder above it is protected.
  package func covers(_ path: [UInt8]) -> Bool {
    path.indices.contains { path[$0] == UInt8(ascii: "/") && contains(Array(path[..<$0]), isFolder: true) }
      || contains(path, isFolder: false)
  }

  /// Whether the patterns themselves name a path. What lies in a protected folder is protected too, which the caller knows.
  package func contains(_ path: [UInt8], isFolder: Bool) -> Bool {
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
    return name.withUnsafeBufferPointer { name in
      path.withUnsafeBufferPointer { path in
        list.lastMatch(name: name, path: path, isFolder: isFolder)?.isNegated == false
      }
    }
  }
}
