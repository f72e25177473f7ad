// Turns pathspecs into the paths that a restore changes. From then on it is a restore of these paths: the timeline and an
// interrupted restore remember paths, because what a pattern matches may change.

internal import MementoStore

struct PathExpansion {
  /// The source of both trees.
  let source: any MetaSource
  let monitor: any Monitor

  private struct Folder {
    let path: BytePath
    let selector: PathSelector
    /// The label of the folder around it.
    let parent: Int
    /// Whether only one of the two trees has it.
    let isOneSided: Bool
    /// Whether something in it that differs is not selected.
    var isPartial = false
  }

  /// The paths that are selected and differ between two trees. When nothing differs, one path that is selected. Throws
  /// `.noSuchPath` when a path or pathspec matches nothing in either tree, and when nothing is left of what they match.
  func run(
    _ paths: [BytePath], _ pathspecs: [Pathspec], from current: ObjectID?, to target: ObjectID
  ) throws(RepositoryError) -> [BytePath] {
    try check(paths, pathspecs, in: [target, current], neither: "neither the snapshot nor the folder")
    let selector = PathSelector([], pathspecs + paths.map { Pathspec(path: $0) })
    let found = try differing(selector, from: current, to: target)
    if !found.isEmpty { return found }
    guard let path = try firstMatch(of: selector, in: [target, current]) else {
      throw RepositoryError(.noSuchPath, "everything that is selected is left out again")
    }
    return [path]
  }

  /// Throws `.noSuchPath` when a path or pathspec matches nothing in any of these trees. `neither`: what these are, for the
  /// sentence that says so.
  func check(
    _ paths: [BytePath], _ pathspecs: [Pathspec], in trees: [ObjectID?], neither: String
  ) throws(RepositoryError) {
    for pathspec in pathspecs + paths.map({ Pathspec(path: $0) }) where !pathspec.isExclusion {
      guard try firstMatch(of: PathSelector([], [pathspec]), in: trees) == nil else { continue }
      if let path = pathspec.plainPath {
        throw .unknownPath(path, "\(neither) has \(path)", in: trees, source)
      }
      let text = BytePath(pathspec.text)
      throw RepositoryError(.noSuchPath, "\(neither) has anything that matches \(text)", path: text)
    }
  }

  /// The selected paths that differ. A folder that only one side has stands for all that is in it, if all of that is
  /// selected. So does a selected folder that both sides have; with `inFolders` only if its own metadata differs.
  func differing(
    _ selector: PathSelector, from current: ObjectID?, to target: ObjectID?, inFolders: Bool = false
  ) throws(RepositoryError) -> [BytePath] {
    var folders = [Folder(path: BytePath(""), selector: selector, parent: 0, isOneSided: false)]
    var found: [(folder: Int, path: BytePath)] = []
    let diff = TreeDiff(old: source, new: source, monitor: monitor, limit: EntryLimit.held)
    try translating { () throws(StoreError) in
      try diff.walk(from: current, to: target, label: 0) { (folder, old, new) throws(StoreError) in
        guard let name = (new ?? old)?.name else { return .pass }
        guard let inside = folders[folder].selector.inside(old, new) else {
          folders[folder].isPartial = true
          return .pass
        }
        let path = folders[folder].path.appending(name)
        let isFolder = old?.isDirectory == true || new?.isDirectory == true
        let isOpened =
          inFolders && old?.isDirectory == true && new?.isDirectory == true && old?.metadata == new?.metadata
        if (inside.isAll && !isOpened) || (inside.isMeant && !isFolder) {
          found.append((folder, path))
          return .pass
        }
        guard isFolder else { return .pass }
        let isOneSided = old?.isDirectory != true || new?.isDirectory != true
        folders.append(Folder(path: path, selector: inside, parent: folder, isOneSided: isOneSided))
        if isOneSided, (old?.tree ?? new?.tree) == TreeFormat.empty {
          if inside.isMeant { found.append((folder, path)) } else { folders[folder].isPartial = true }
        }
        return .enter(folders.count - 1)
      }
    }
    for label in folders.indices.reversed() where folders[label].isPartial {
      folders[folders[label].parent].isPartial = true
    }
    return Set(found.map { whole($0.folder, folders)?.path ?? $0.path }).sorted()
  }

  /// The highest folder around a path that is there on one side only, and of which everything is selected.
  private func whole(_ folder: Int, _ folders: [Folder]) -> Folder? {
    var label = folder
    var highest: Folder?
    while label > 0, folders[label].isOneSided, !folders[label].isPartial {
      highest = folders[label]
      label = folders[label].parent
    }
    return highest
  }

  /// The first path of these trees that is selected.
  private func firstMatch(of selector: PathSelector, in trees: [ObjectID?]) throws(RepositoryError) -> BytePath? {
    for case let tree? in trees {
      var folders = [(path: BytePath(""), selector: selector)]
      if selector.isAll { return folders[0].path }
      var match: BytePath?
      let diff = TreeDiff(old: source, new: source, monitor: monitor, limit: EntryLimit.held)
      try translating { () throws(StoreError) in
        try diff.walk(from: nil, to: tree, label: 0) { (folder, _, entry) throws(StoreError) in
          guard let entry, let inside = folders[folder].selector.inside(entry.name, isFolder: entry.isDirectory) else {
            return .pass
          }
          let path = folders[folder].path.appending(entry.name)
          if inside.isMeant {
            match = path
            return .stop
          }
          folders.append((path, inside))
          return .enter(folders.count - 1)
        }
      }
      if let match { return match }
    }
    return nil
  }
}
