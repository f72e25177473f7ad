// A folder as a plain value, and the result of restoring a part of it. The rules are written here a second time, on a
// dictionary, so that the code for stored trees can be compared with them.

/// Everything in a folder, by path. The folder itself has the empty path. Its time is 0 here, because making `.memento`
/// changes it.
package struct FolderTree: Equatable, Sendable {
  package private(set) var entries: [[UInt8]: ManifestEntry]

  package init(_ manifest: Manifest) {
    entries = manifest.entries
    entries[[]]?.seconds = 0
    entries[[]]?.nanoseconds = 0
  }

  package func isFolder(_ path: [UInt8]) -> Bool { entries[path]?.isFolder == true }

  /// Whether the path is a folder that is not empty.
  package func isFull(_ path: [UInt8]) -> Bool {
    let start = path + [UInt8(ascii: "/")]
    return entries.keys.contains { $0.starts(with: start) }
  }

  /// All paths except the folder itself, sorted.
  package var paths: [[UInt8]] {
    entries.keys.filter { !$0.isEmpty }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether each of these paths exists here or in `other`.
  package func knows(_ paths: [[UInt8]], or other: FolderTree) -> Bool {
    paths.allSatisfy { entries[$0] != nil || other.entries[$0] != nil }
  }

  /// The paths sorted, without duplicates and without paths that are below another one.
  package static func merged(_ paths: [[UInt8]]) -> [[UInt8]] {
    let all = Set(paths)
    return all.filter { path in !above(path).contains { all.contains($0) } }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// These paths. If a name above a path is no folder here, that name takes the place of the path.
  package func withObstacles(_ paths: [[UInt8]]) -> [[UInt8]] {
    FolderTree.merged(
      paths.map { path in
        FolderTree.above(path).first { entries[$0] != nil && !isFolder($0) } ?? path
      })
  }

  /// This folder after these paths were restored from `target`; without paths, everything. With `takingTimes` the
  /// folders above the paths also get the times that they have in `target`.
  package func restoring(
    _ paths: [[UInt8]], from target: FolderTree, keepExtra: Bool = false, takingTimes: Bool = false
  ) -> FolderTree {
    func isMeant(_ path: [UInt8]) -> Bool {
      paths.isEmpty || paths.contains { path == $0 || path.starts(with: $0 + [UInt8(ascii: "/")]) }
    }
    var result: [[UInt8]: Choice] = [:]
    for (path, entry) in target.entries where isMeant(path) { result[path] = Choice(entry, .target) }
    // What is restored needs the folders above it, even if this folder now has something else in their place.
    for path in Array(result.keys) {
      for above in FolderTree.above(path) where result[above] == nil && !isFolder(above) {
        result[above] = target.entries[above].map { Choice($0, .target) }
      }
    }
    // Shorter paths come first, so that nothing is kept below a name that is no folder any more.
    for path in entries.keys.sorted(by: { $0.count < $1.count }) where result[path] == nil {
      guard let entry = entries[path], !isMeant(path) || keepExtra else { continue }
      guard FolderTree.above(path).allSatisfy({ result[$0]?.entry.isFolder == true }) else { continue }
      result[path] = Choice(entry, .folder)
    }
    for above in takingTimes ? FolderTree.merged(paths).flatMap(FolderTree.above) : [] {
      guard let there = target.entries[above], there.isFolder, isFolder(above) else { continue }
      result[above]?.entry.seconds = there.seconds
      result[above]?.entry.nanoseconds = there.nanoseconds
    }
    var tree = self
    tree.entries = FolderTree.withLinks(result)
    return tree
  }

  /// This folder without a path and what is below it.
  package func without(_ path: [UInt8]) -> FolderTree {
    var nothing = self
    nothing.entries = [:]
    return restoring([path], from: nothing)
  }

  private enum Side {
    case folder
    case target
  }

  private struct Choice {
    var entry: ManifestEntry
    var side: Side

    init(_ entry: ManifestEntry, _ side: Side) {
      self.entry = entry
      self.side = side
    }
  }

  /// Names remain hard links of one file if they were so on the side that they come from.
  private static func withLinks(_ choices: [[UInt8]: Choice]) -> [[UInt8]: ManifestEntry] {
    var groups: [Side: [[UInt8]: [[UInt8]]]] = [:]
    for (path, choice) in choices {
      if let first = choice.entry.firstLink { groups[choice.side, default: [:]][first, default: []].append(path) }
    }
    var result = choices.mapValues(\.entry)
    for paths in groups.values.flatMap(\.values) {
      let first = paths.count > 1 ? paths.min { $0.lexicographicallyPrecedes($1) } : nil
      for path in paths { result[path]?.firstLink = first }
    }
    return result
  }

  /// The folders above a path, the nearest first. The last is the empty path.
  private static func above(_ path: [UInt8]) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var rest = path[...]
    while !rest.isEmpty {
      rest = rest.lastIndex(of: UInt8(ascii: "/")).map { rest[..<$0] } ?? []
      result.append(Array(rest))
    }
    return result
  }

  package func differences(from other: FolderTree) -> [String] {
    Manifest.differences(entries, other.entries)
  }
}
