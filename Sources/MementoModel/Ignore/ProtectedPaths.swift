// `protect` in the config: saves record these paths, but no restore, undo or redo overwrites or removes them.

/// The paths that the config protects.
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

  /// Whether a pattern matches the path itself. Paths in a protected folder are protected too; the caller must check
  /// that.
  package func contains(_ path: [UInt8], isFolder: Bool) -> Bool {
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
    return name.withUnsafeBufferPointer { name in
      path.withUnsafeBufferPointer { path in
        list.lastMatch(name: name, path: path, isFolder: isFolder)?.isNegated == false
      }
    }
  }
}
