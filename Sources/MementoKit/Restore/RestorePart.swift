// The part of the folder that a restore changes, and the tree that the folder gets when only a part of a snapshot is
// restored.

internal import MementoStore
internal import MementoSystem

/// Some paths with all that is in them, except for files that stay as they are.
struct RestorePart {
  /// The paths, relative to the folder and sorted. No path is inside another one. Empty for the whole folder.
  let paths: [BytePath]
  /// Patterns in gitignore's grammar. Files that match are neither changed, nor made, nor removed.
  let kept: [[UInt8]]
  /// Whether files stay that the snapshot does not have.
  let keepExtra: Bool

  init(paths: [BytePath] = [], kept: [[UInt8]] = [], keepExtra: Bool = false) {
    self.paths = RestorePart.merged(paths)
    self.kept = kept
    self.keepExtra = keepExtra
  }

  /// Whether the part is the whole folder without exceptions.
  var isWhole: Bool { paths.isEmpty && kept.isEmpty && !keepExtra }

  /// The patterns of `kept`; nil when there are none.
  var keptPaths: ProtectedPaths? { ProtectedPaths(kept.enumerated().map { ($0.offset + 1, $0.element) }) }

  /// This part, but with a file in the way of a path instead of that path. The restore replaces that file, so it is
  /// saved, undone and redone with the path. `tree`: the folder as it is.
  func withObstacles(in tree: ObjectID, _ source: any MetaSource) throws(StoreError) -> RestorePart {
    let kept = keptPaths
    var paths = paths
    for index in paths.indices {
      var way = BytePath("")
      for name in paths[index].components.dropLast() {
        way = way.appending(name)
        guard let entry = try TreePath.entry(way, in: tree, source) else { break }
        if entry.isDirectory { continue }
        if kept?.covers(way.bytes) != true { paths[index] = way }
        break
      }
    }
    return RestorePart(paths: paths, kept: self.kept, keepExtra: keepExtra)
  }

  /// Each path in one spelling, without paths that are inside another one.
  private static func merged(_ paths: [BytePath]) -> [BytePath] {
    let slash = [UInt8(ascii: "/")]
    let spelled = Set(paths.map { Array($0.components.joined(separator: slash)) })
    if spelled.contains([]) { return [] }
    return spelled.filter { path in
      !path.indices.contains { path[$0] == slash[0] && spelled.contains(Array(path[..<$0])) }
    }.map { BytePath($0) }.sorted()
  }
}

/// What a restore makes of the folder.
struct RestoreAim {
  var tree: ObjectID?
  var root: FileMetadata?
  var links: [[[UInt8]]]
  /// Paths that the snapshot could not record. They are never removed and never overwritten.
  var untouchable: Set<[UInt8]>
}

/// Composes trees of a snapshot, of the snapshot at the position, and of the folder.
struct PartComposer {
  private let repository: Repository
  private let walk: FolderWalk
  let part: RestorePart
  private let filter: PathFilter

  init(_ repository: Repository, _ walk: FolderWalk, _ part: RestorePart) {
    self.repository = repository
    self.walk = walk
    self.part = part
    filter = PathFilter(part.paths)
  }

  /// A composer for this part with the files in its way; see `RestorePart.withObstacles`.
  func withObstacles(in now: ArchivedTree) throws(RepositoryError) -> PartComposer {
    let source = walk.source
    let wider = try translating { () throws(StoreError) in try part.withObstacles(in: now.tree, source) }
    return PartComposer(repository, walk, wider)
  }

  private var lists: SnapshotLists { SnapshotLists(repository) }

  /// Throws `.noSuchPath` when a path is neither in the snapshot nor in the folder.
  func check(
    _ paths: [BytePath], _ record: SnapshotRecord, _ now: ArchivedTree
  ) throws(RepositoryError) {
    try TreeComposer.check(paths, in: [record.tree, now.tree], walk.source)
  }

  /// What the folder becomes: the snapshot, or the folder with this part as in the snapshot. `otherEnd`: the tree at
  /// the other end of an interrupted restore.
  func aim(
    _ record: SnapshotRecord, in now: ArchivedTree, otherEnd: ObjectID? = nil
  ) throws(RepositoryError) -> RestoreAim {
    let links = try lists.links(of: record)
    let untouchable = Set(try lists.unrecorded(of: record).map(\.path.bytes))
    guard !part.isWhole, let tree = record.tree else {
      return RestoreAim(tree: record.tree, root: record.rootMetadata, links: links, untouchable: untouchable)
    }
    let (composed, composedLinks) = try compose(now, tree, links, part, otherEnd: otherEnd)
    return RestoreAim(
      tree: composed, root: part.paths.isEmpty ? record.rootMetadata : now.root, links: composedLinks,
      untouchable: untouchable)
  }

  /// The snapshot at the position with this part as the folder has it. A guard saves this: the unsaved changes in the
  /// part, and none outside of it. `takingTimes`: takes the present times of the folders that lead to the part, so that
  /// these times alone make no difference.
  func seen(
    _ now: ArchivedTree, on base: SnapshotRecord, takingTimes: Bool
  ) throws(RepositoryError) -> ArchivedTree {
    guard case .tree(let tree, let root) = base.body else { return now }
    var seen = now
    seen.tree = tree
    seen.links = try lists.links(of: base)
    seen.problems = []
    let whole = part.paths.isEmpty
    (seen.tree, seen.links) = try compose(
      seen, now.tree, now.links, RestorePart(paths: part.paths, kept: part.kept), takingTimes: takingTimes)
    seen.root = whole ? now.root : root
    let isInPart = isInPart
    seen.problems =
      try lists.unrecorded(of: base).filter { !isInPart($0.path.bytes) }
      + now.problems.filter { isInPart($0.path.bytes) }
    seen.problems.sort { $0.path < $1.path }
    seen.linkedOutside = now.linkedOutside.filter(isInPart)
    let source = walk.source
    let composed = seen.tree
    let counts = try translating { () throws(StoreError) in
      try TreeDiff(old: source, new: source, monitor: walk.monitor).totals(from: tree, to: composed)
    }
    seen.files = base.files + counts.files
    seen.bytes = base.bytes.adding(counts.bytes)
    return seen
  }

  /// The snapshot of the step that a restore of this part adds: `seen` with the part as in the chosen snapshot. Returns
  /// the guard (the snapshot of `seen`) or the snapshot before it when one of them has the same content.
  func snapshot(
    _ seen: ArchivedTree, _ chosen: StoredSnapshot,
    guard guarded: StoredSnapshot?, before: StoredSnapshot?
  ) throws(RepositoryError) -> StoredSnapshot {
    guard let tree = chosen.record.tree else { throw RepositoryError(.wrongKind, "not a folder") }
    let (composed, links) = try compose(seen, tree, try lists.links(of: chosen.record), part)
    let root = part.paths.isEmpty ? chosen.record.rootMetadata ?? seen.root : seen.root
    let unrecorded = try lists.unrecorded(of: chosen.record).filter { isInPart($0.path.bytes) }
    for case let snapshot? in [guarded, before] {
      guard snapshot.record.tree == composed, snapshot.record.rootMetadata?.isSame(butForTimeAs: root) == true,
        unrecorded.isEmpty || snapshot.id == chosen.id
      else { continue }
      // The links of the guard are in a pack that is still being written, so they are taken from `seen`.
      let known = snapshot.id == guarded?.id ? seen.links : try lists.links(of: snapshot.record)
      if known == links { return snapshot }
    }
    // Paths that the chosen snapshot could not record: a later restore of the new snapshot must not remove them either.
    var made = seen
    made.tree = composed
    made.root = root
    made.links = links
    made.problems += unrecorded.filter { problem in !seen.problems.contains { $0.path == problem.path } }
    let source = walk.source
    let counts = try translating { () throws(StoreError) in
      try TreeDiff(old: source, new: source, monitor: walk.monitor).totals(from: seen.tree, to: composed)
    }
    made.files += counts.files
    made.bytes = made.bytes.adding(counts.bytes)
    let record = try walk.record(made, since: guarded ?? before)
    return StoredSnapshot(try walk.store(record), record)
  }

  private func isInPart(_ path: [UInt8]) -> Bool {
    filter.contains(path) && part.keptPaths?.covers(path) != true
  }

  private func compose(
    _ current: ArchivedTree, _ target: ObjectID, _ targetLinks: [[[UInt8]]], _ part: RestorePart,
    takingTimes: Bool = false, otherEnd: ObjectID? = nil
  ) throws(RepositoryError) -> (ObjectID, [[[UInt8]]]) {
    let source = walk.source
    let composer = TreeComposer(
      source: source, filter: filter, kept: part.keptPaths, keepExtra: part.keepExtra, takesTimes: takingTimes,
      otherEnd: otherEnd, writer: walk.writer)
    return try translating { () throws(StoreError) in
      let tree = try composer.run(current: current.tree, target: target)
      try walk.writer.flush()  // the code below reads the composed tree
      let links = try composer.links(
        current: current.links, target: targetLinks, of: tree, in: walk.source, from: target)
      return (tree, links)
    }
  }
}

extension UInt64 {
  /// Adds a difference to a size. A size may be forged, so the sum stops at the limits.
  fileprivate func adding(_ difference: Int64) -> UInt64 {
    let (sum, overflow) = Int64(clamping: self).addingReportingOverflow(difference)
    return overflow ? UInt64(Int64.max) : UInt64(clamping: sum)
  }
}
