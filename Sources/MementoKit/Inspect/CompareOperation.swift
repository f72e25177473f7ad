// Compares two snapshots, or a snapshot with the folder. Two snapshots are compared tree by tree, so the cost grows
// with their difference. For the folder, a walk reads it without storing anything, as for status. Takes no lock, writes
// nothing.

internal import MementoStore
internal import MementoSystem

struct CompareOperation {
  let repository: Repository
  let monitor: any Monitor

  func run(_ options: DiffOptions) throws(RepositoryError) -> Comparison {
    let refs = try repository.readRefs()
    let resolver = RevisionResolver(repository, refs)
    var from = try repository.record(of: options.from == nil ? refs.timeline.current?.snapshot : nil)
    if let revision = options.from { from = try resolver.resolve(revision) }
    guard let revision = options.to else {
      return try compare(from, options, refs)
    }
    let to = try resolver.resolve(revision)
    return try compare(from, to, options, refs)
  }

  /// Compares a snapshot with its parent, or a value with the value it replaced. Nil when it has none or gc has removed
  /// it.
  func parentComparison(
    of snapshot: StoredSnapshot, _ refs: Refs
  ) throws(RepositoryError) -> Comparison? {
    let parent = snapshot.record.tree == nil ? snapshot.record.replaces : snapshot.record.parent
    guard let parent, try repository.isStored(parent),
      let before = try repository.record(of: parent),
      (before.record.tree == nil) == (snapshot.record.tree == nil)
    else { return nil }
    return try compare(before, snapshot, DiffOptions(), refs)
  }

  /// Compares two snapshots below some paths.
  func compare(
    _ from: StoredSnapshot?, _ to: StoredSnapshot, _ paths: [BytePath], _ pathspecs: [Pathspec] = [], _ refs: Refs
  ) throws(RepositoryError) -> Comparison {
    var options = DiffOptions()
    options.paths = paths
    options.pathspecs = pathspecs
    return try compare(from, to, options, refs)
  }

  /// Compares a snapshot with the folder as it is now.
  private func compare(_ from: StoredSnapshot?, _ options: DiffOptions, _ refs: Refs) throws(RepositoryError)
    -> Comparison
  {
    if let from, from.record.tree == nil {
      throw RepositoryError(
        .wrongKind, "\"\(options.from ?? .position)\" is a single value and cannot be compared with the folder",
        reason: .valueAgainstFolder, revision: options.from ?? .position)
    }
    monitor.begin(.scanning)
    let walk = try FolderWalk(
      repository, monitor: monitor, storing: false, rules: try repository.rules(options.ignoring))
    let now = try walk.run()
    var hidden = IgnoredDifferences(root: try repository.root, filter: walk.rules.filter)
    let changes = try changes(
      from?.record.tree, now.tree, in: walk.source, options.selector, hiding: { hidden.contains($0, $1, $2) })
    return comparison(from, nil, changes, hidden.problems(besides: now.problems), refs)
  }

  private func compare(
    _ from: StoredSnapshot?, _ to: StoredSnapshot, _ options: DiffOptions, _ refs: Refs
  ) throws(RepositoryError) -> Comparison {
    if case .value(let new) = to.record.body, case .value(let old)? = from?.record.body {
      return comparison(from, to, CompareOperation.changes(old, new, from, to), [], refs)
    }
    guard let tree = to.record.tree, from == nil || from?.record.tree != nil else {
      throw RepositoryError(
        .wrongKind, "a single value and a folder cannot be compared", reason: .valueAgainstTree)
    }
    let changes = try changes(from?.record.tree, tree, in: repository.store, options.selector)
    return comparison(from, to, changes, [], refs)
  }

  private func changes(
    _ old: ObjectID?, _ new: ObjectID, in source: any MetaSource, _ selector: PathSelector,
    hiding isHidden: (BytePath, TreeEntry?, TreeEntry?) -> Bool = { _, _, _ in false }
  ) throws(RepositoryError) -> [FileChange] {
    var changes: [FileChange] = []
    let diff = TreeDiff(old: repository.store, new: source, monitor: monitor, limit: EntryLimit.held / 2)
    try ChangedPaths.walk(diff, from: old, to: new, selector, hiding: isHidden) { (path, kind, old, new) in
      changes.append(
        FileChange(
          path: path, kind: kind, oldPath: nil, old: old.map { FileEntry($0) }, new: new.map { FileEntry($0) }))
    }
    changes.sort { $0.path < $1.path }
    return RenameDetection.pairing(changes)
  }

  /// Compares two values as two versions of a file named `value`.
  private static func changes(_ old: SizedContent, _ new: SizedContent, _ from: StoredSnapshot?, _ to: StoredSnapshot)
    -> [FileChange]
  {
    guard let from, old != new else { return [] }
    return [
      FileChange(
        path: BytePath("value"), kind: .modified, oldPath: nil, old: FileEntry(value: old, at: from.record.time),
        new: FileEntry(value: new, at: to.record.time))
    ]
  }

  private func comparison(
    _ from: StoredSnapshot?, _ to: StoredSnapshot?, _ changes: [FileChange], _ problems: [Problem], _ refs: Refs
  ) -> Comparison {
    Comparison(
      from: from.map { Snapshot($0) }, to: to.map { Snapshot($0) },
      names: from.map { refs.states.names(of: $0.id) } ?? [], changes: changes, problems: problems,
      isRestorePending: refs.pending != nil,
      interruptedRestore: InterruptedRestore(refs.pending), repository: repository)
  }
}

extension DiffOptions {
  fileprivate var selector: PathSelector { PathSelector(paths, pathspecs) }
}
