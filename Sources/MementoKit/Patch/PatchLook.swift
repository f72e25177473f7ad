// Compares the folder with a snapshot for a restore that chooses piece by piece. Takes no lock, writes nothing.

internal import MementoStore
internal import MementoSystem

struct PatchLook {
  let repository: Repository
  let options: PatchOptions
  let monitor: any Monitor

  func run(_ revision: Revision) throws(RepositoryError) -> RestorePatch {
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    let chosen = try RevisionResolver(repository, refs).resolve(revision)
    guard let tree = chosen.tree else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueNeedsNoFolder, revision: revision)
    }
    monitor.begin(.scanning)
    let walk = try FolderWalk(
      repository, monitor: monitor, storing: false, rules: try repository.rules(IgnoreOptions()))
    let now = try walk.run()
    let source = walk.source
    try PathExpansion(source: source, monitor: monitor).check(
      options.paths, options.pathspecs, in: [tree, now.tree], neither: "neither the snapshot nor the folder")
    var hidden = IgnoredDifferences(root: try repository.root, filter: walk.rules.filter)
    let untouchable = try SnapshotLists(repository).unrecorded(of: chosen.record).map(\.path)
    let left = LeftPaths(untouchable + now.problems.filter { !$0.isNote }.map(\.path))
    let protected = ProtectedPaths(repository.folderConfig.protected.map { ($0.line, $0.pattern) })
    /// Something here is a folder on one side only, and nothing in it is a change of its own.
    var closed: BytePath?
    var changes: [FileChange] = []
    let diff = TreeDiff(old: source, new: source, monitor: monitor, limit: EntryLimit.held / 2)
    try ChangedPaths.walk(
      diff, from: now.tree, to: tree, PathSelector(options.paths, options.pathspecs),
      hiding: { (path, present, wanted) in
        if let folder = closed, path.components.starts(with: folder.components) { return true }
        if left.covers(path) || protected?.covers(path.bytes) == true { return true }
        return hidden.contains(path, wanted, present)
      }
    ) { (path, kind, present, wanted) in
      if kind == .type, present?.isDirectory == true || wanted?.isDirectory == true { closed = path }
      let change = FileChange(
        path: path, kind: kind, oldPath: nil, old: present.map { FileEntry($0) }, new: wanted.map { FileEntry($0) })
      if kind == .metadata, !change.changesMetadata { return }
      changes.append(change)
    }
    changes.sort { $0.path < $1.path }
    return RestorePatch(
      snapshot: Snapshot(chosen), changes: changes, problems: hidden.problems(besides: now.problems),
      repository: repository)
  }
}

/// Paths that are left alone with all that is in them.
private struct LeftPaths {
  private let paths: Set<[UInt8]>

  init(_ paths: [BytePath]) {
    self.paths = Set(paths.map(\.bytes))
  }

  func covers(_ path: BytePath) -> Bool {
    if paths.isEmpty { return false }
    let bytes = path.bytes
    return paths.contains(bytes)
      || bytes.indices.contains { bytes[$0] == UInt8(ascii: "/") && paths.contains(Array(bytes[..<$0])) }
  }
}
