// A shell pattern for the paths of a tree.

/// A pattern for paths, with the wildcards of gitignore. Without a slash, except for one at the end, it matches the last
/// name of a path, at any depth. With a slash it matches the whole path. A slash at the end: only folders.
package struct PathPattern: Sendable {
  private let pattern: [UInt8]
  private let isPath: Bool
  private let onlyFolders: Bool

  /// Nil for a pattern that can match nothing: an empty one, and one of slashes.
  package init?(_ text: [UInt8]) {
    let slash = UInt8(ascii: "/")
    var pattern = text[...]
    onlyFolders = pattern.last == slash
    while pattern.last == slash { pattern.removeLast() }
    isPath = pattern.contains(slash)
    if pattern.first == slash { pattern.removeFirst() }
    if pattern.isEmpty { return nil }
    self.pattern = Array(pattern)
  }

  /// Whether a path matches.
  package func matches(_ path: BytePath, isFolder: Bool) -> Bool {
    if onlyFolders, !isFolder { return false }
    return path.bytes.withUnsafeBufferPointer { path in
      var text = path
      if !isPath, let slash = path.lastIndex(of: UInt8(ascii: "/")) {
        text = UnsafeBufferPointer(rebasing: path[(slash + 1)...])
      }
      return pattern.withUnsafeBufferPointer { Wildcard.matches($0, text, isPath: isPath) }
    }
  }
}
