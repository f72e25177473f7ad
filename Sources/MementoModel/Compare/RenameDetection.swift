// Detects renames: a removed file and an added file with the same bytes are one file that was renamed. Empty files are
// left out, since any two of them are equal.

package enum RenameDetection {
  private enum Content: Hashable {
    case file(UInt64, FileContent)
    case link([UInt8])
  }

  /// The same changes, with pairs of a removed and an added file turned into renames. `changes` are sorted by path, and
  /// so is the result.
  package static func pairing(_ changes: [FileChange]) -> [FileChange] {
    var gone: [Content: [Int]] = [:]
    for (index, change) in changes.enumerated() where change.kind == .removed {
      if let content = content(of: change.old) { gone[content, default: []].append(index) }
    }
    if gone.isEmpty { return changes }
    var taken: Set<Int> = []
    var result = changes
    // Prefer a removed file with the same name: it is more likely the same file than the first one found.
    for keepsName in [true, false] {
      for (index, change) in result.enumerated() where change.kind == .added {
        guard let content = content(of: change.new), let candidates = gone[content] else { continue }
        let name = change.path.name
        let place = candidates.firstIndex { !keepsName || changes[$0].path.name == name }
        guard let place else { continue }
        let old = candidates[place]
        gone[content]?.remove(at: place)
        taken.insert(old)
        result[index].kind = .renamed
        result[index].oldPath = changes[old].path
        result[index].old = changes[old].old
      }
    }
    return result.indices.filter { !taken.contains($0) }.map { result[$0] }
  }

  private static func content(of entry: FileEntry?) -> Content? {
    guard let entry, entry.size > 0 else { return nil }
    if let target = entry.target { return .link(target) }
    return entry.content.map { .file(entry.size, $0) }
  }
}

extension BytePath {
  /// The part after the last slash.
  fileprivate var name: ArraySlice<UInt8> {
    bytes[((bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
  }
}
