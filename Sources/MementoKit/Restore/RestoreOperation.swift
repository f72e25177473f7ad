// A restore in place, in six steps: plan, guard, stage, mark, apply, commit. Up to the mark nothing has changed; after it,
// every command says that a restore is under way until it is finished or taken back.

internal import MementoStore
internal import MementoSystem

struct RestoreOperation {
  let repository: Repository
  let options: RestoreOptions
  let monitor: any Monitor

  private var store: Store { repository.store }

  func run(_ revision: String) throws(RepositoryError) -> RestoreSummary {
    let lock = try repository.lockAlone(monitor)
    let refs = try repository.readRefs()
    try repository.checkNoPendingRestore(refs)
    let (id, record) = try RevisionResolver(repository, refs).resolve(revision)
    guard record.tree != nil else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder",
        advice: "write it with `memento restore \(revision) --stdout`")
    }
    let isPartial = !options.paths.isEmpty || options.keepExtra
    monitor.begin(.saving)
    let isStoring = !options.isDryRun && (!options.discard || isPartial)
    let walk = try FolderWalk(
      repository, monitor: monitor, storing: isStoring, rules: repository.rules(options.ignoring))
    do throws(RepositoryError) {
      var now = try walk.run()
      let before = try repository.recordAtPosition(refs)
      var isSaved = try repository.isSaved(now, in: before?.record, walk)
      var links: [[[UInt8]]]?
      var target = (id: id, record: record)
      if isPartial { (target, links) = try compose(now, target, before, walk, unchanged: isSaved ? before : nil) }
      let scope = try RestoreScope(repository: repository, walk: walk).folder(now, before: target.record.tree)
      now = scope.now
      if !isSaved { isSaved = try repository.isSaved(now, in: before?.record, walk) }
      if scope.isObstructed { isSaved = false }
      let guardRecord = isSaved ? nil : try makeGuard(now, before, walk)
      if isPartial {
        (target, links) = try compose(
          now, (id, record), guardRecord ?? before, walk, unchanged: isSaved ? before : guardRecord)
      }
      try walk.finishPacks()
      var restore = PreparedRestore(
        repository: repository, monitor: monitor, target: target, shown: (id, record), guardRecord: guardRecord,
        before: isSaved || guardRecord != nil ? (guardRecord ?? before)?.id : nil,
        now: now, source: walk.source, rules: walk.rules, links: links,
        position: options.followsTimeline ? step(of: target.id, refs.timeline, guardRecord) : nil)
      restore.asRecorded = options.asRecorded
      let summary =
        options.isDryRun ? try restore.plan() : try restore.run { walk.finishCache() }
      walk.discard()
      _ = consume lock
      return summary
    } catch {
      walk.discard()
      throw error
    }
  }

  /// The folder as it is, which no snapshot at the position says. It becomes a step of the timeline with the mark.
  private func makeGuard(
    _ now: ArchivedTree, _ before: (id: ObjectID, record: SnapshotRecord)?, _ walk: FolderWalk
  ) throws(RepositoryError) -> (id: ObjectID, record: SnapshotRecord)? {
    if options.discard || options.isDryRun { return nil }
    let record = try walk.record(now, since: before)
    return (try walk.store(record), record)
  }

  /// The last step of the timeline, as it will be with the guard, that holds a snapshot.
  private func step(
    of snapshot: ObjectID, _ timeline: MementoStore.Timeline, _ guardRecord: (id: ObjectID, record: SnapshotRecord)?
  ) -> Int? {
    var timeline = timeline
    if let guardRecord {
      timeline.append(
        TimelineStep(operation: .guarded, time: guardRecord.record.time, snapshot: guardRecord.id))
    }
    guard let position = timeline.position else { return nil }
    return timeline.steps[...position].lastIndex { $0.snapshot == snapshot }
  }

  /// The tree that the folder becomes when only some paths are restored, or extra files stay. When that is what it is, no
  /// snapshot is made of it: `unchanged` says it already.
  private func compose(
    _ now: ArchivedTree, _ chosen: (id: ObjectID, record: SnapshotRecord),
    _ before: (id: ObjectID, record: SnapshotRecord)?, _ walk: FolderWalk,
    unchanged: (id: ObjectID, record: SnapshotRecord)?
  ) throws(RepositoryError) -> ((id: ObjectID, record: SnapshotRecord), links: [[[UInt8]]]) {
    let composer = TreeComposer(
      current: walk.source, target: store, paths: options.paths, keepExtra: options.keepExtra, writer: walk.writer)
    guard let tree = chosen.record.tree else { throw RepositoryError(.wrongKind, "not a folder") }
    let composed = try composer.run(current: now.tree, target: tree)
    var record = try walk.record(now, since: before)
    let targetLinks = try SnapshotLists(repository).links(of: chosen.record)
    // What the snapshot could not record there is not to be removed by what is made of it either.
    let unrecorded = try SnapshotLists(repository).unrecorded(of: chosen.record).filter {
      composer.filter.contains($0.path.bytes)
    }
    let problems = now.problems + unrecorded.filter { problem in !now.problems.contains { $0.path == problem.path } }
    let root = options.paths.isEmpty ? chosen.record.rootMetadata ?? now.root : now.root
    return try translating { () throws(StoreError) in
      try walk.writer.flush()  // what follows reads what was just composed
      let links = try composer.links(current: now.links, target: targetLinks, of: composed, in: walk.source, from: tree)
      if let unchanged, composed == now.tree, links == now.links, root.isSame(butForTimeAs: now.root) {
        return (unchanged, links)
      }
      let counts = try TreeDiff(old: walk.source, new: walk.source).totals(from: now.tree, to: composed)
      record.files += counts.files
      let (bytes, overflow) = Int64(clamping: record.bytes).addingReportingOverflow(counts.bytes)
      record.bytes = overflow ? UInt64(Int64.max) : UInt64(clamping: bytes)
      record.body = .tree(composed, root)
      record.links =
        links.isEmpty
        ? nil : try walk.writer.storeContent(LinkTable.encode(links), chunker: Chunker(sizes: store.config.chunkSizes))
      if !unrecorded.isEmpty {
        record.unrecorded = try walk.writer.storeContent(
          UnrecordedList.encode(problems), chunker: Chunker(sizes: store.config.chunkSizes))
      }
      return ((try walk.writer.storeMeta(record.encoded()), record), links)
    }
  }
}

extension SnapshotRecord {
  var rootMetadata: FileMetadata? {
    if case .tree(_, let root) = body { return root }
    return nil
  }
}
