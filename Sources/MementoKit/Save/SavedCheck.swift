// Tells whether a snapshot already holds what a walk has found.

internal import MementoStore
internal import MementoSystem

extension Repository {
  /// Whether the folder and the snapshot have the same content. The time of the top folder does not count: making
  /// `.memento` changes it.
  func isSaved(_ now: ArchivedTree, in record: SnapshotRecord?) throws(RepositoryError) -> Bool {
    guard let record, case .tree(let tree, let root) = record.body else { return false }
    guard tree == now.tree, root.isSame(butForTimeAs: now.root) else { return false }
    do throws(RepositoryError) {
      return try SnapshotLists(self).areLinks(of: record, now.links)
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }

  /// The same for a restore. Entries of the snapshot that the rules ignore now do not count: they are still in the
  /// folder. Protected entries do not count either, since a restore never changes them.
  func isSaved(
    _ now: ArchivedTree, in record: SnapshotRecord?, _ walk: FolderWalk
  ) throws(RepositoryError) -> Bool {
    let hasRules = !walk.rules.filter.isEmpty || !now.ruleFiles.isEmpty
    if !hasRules, folderConfig.protected.isEmpty, now.problems.isEmpty { return try isSaved(now, in: record) }
    guard let record, case .tree(let tree, let root) = record.body else { return false }
    var present = now.root
    present.modified = root.modified
    guard root == present else { return false }
    do throws(RepositoryError) {
      var lookup = IgnoreLookup(root: try self.root, filter: walk.rules.filter)
      if tree != now.tree, try differs(now.tree, from: tree, walk, &lookup) { return false }
      if try SnapshotLists(self).areLinks(of: record, now.links) { return true }
      if !hasRules { return false }
      return visible(try SnapshotLists(self).links(of: record), &lookup) == now.links
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }

  /// Whether two trees differ in more than ignored or protected paths. A path that cannot be looked at counts as
  /// different, so that it is saved once more.
  private func differs(
    _ now: ObjectID, from tree: ObjectID, _ walk: FolderWalk, _ lookup: inout IgnoreLookup
  ) throws(RepositoryError) -> Bool {
    let protected = ProtectedPaths(folderConfig.protected.map { ($0.line, $0.pattern) })
    let source = walk.source
    var folders = [(path: BytePath(""), isProtected: false)]
    let top = try self.root
    var isDifferent = false
    try translating { () throws(StoreError) in
      try TreeDiff(old: store, new: source, monitor: walk.monitor).walk(from: tree, to: now, label: 0) {
        (label, before, after) throws(StoreError) in
        guard let name = (after ?? before)?.name else { return .pass }
        let path = folders[label].path.appending(name)
        let isProtected =
          after.map { folders[label].isProtected || protected?.contains(path.bytes, isFolder: $0.isDirectory) == true }
          ?? false
        if let before, let after, before.isDirectory, after.isDirectory,
          isProtected || before.metadata == after.metadata
        {
          folders.append((path, isProtected))
          return .enter(folders.count - 1)
        }
        if before == nil, let after, let tree = after.tree {
          // A restore could not remove this folder because of ignored or protected entries in it.
          var entries = TreeReader(tree, in: source)
          if try entries.next() != nil || DirectoryHandle.surelyHoldsSomething(path, below: top) {
            folders.append((path, isProtected))
            return .enter(folders.count - 1)
          }
        }
        if isProtected { return .pass }
        if let before, after == nil, lookup.surelyHides(path, isFolder: before.isDirectory) { return .pass }
        isDifferent = true
        return .stop
      }
    }
    return isDifferent
  }

  /// The groups of hard links without the names that are ignored now.
  private func visible(_ links: [[[UInt8]]], _ lookup: inout IgnoreLookup) -> [[[UInt8]]] {
    var groups: [[[UInt8]]] = []
    for group in links {
      var names: [[UInt8]] = []
      for name in group where !lookup.surelyHides(BytePath(name), isFolder: false) { names.append(name) }
      if names.count > 1 { groups.append(names) }
    }
    return groups.sorted { $0[0].lexicographicallyPrecedes($1[0]) }
  }
}

extension FileMetadata {
  func isSame(butForTimeAs other: FileMetadata) -> Bool {
    var same = self
    same.modified = other.modified
    return same == other
  }
}
