// One walk of the working tree with all it needs: the stat cache, the packs to write, and the workers. A save, the
// guard of a restore, and a dry run all begin with one.

internal import MementoStore
internal import MementoSystem

/// One thread uses it; its workers run inside `run`.
final class FolderWalk {
  private let repository: Repository
  private var context: SaveContext
  let monitor: any Monitor
  private let cache: StatCache?
  private let writers: [ObjectWriter]
  private let packs: PackWriter?
  private let scratch: ScratchObjects
  private let rootStatus: FileStatus
  private let cacheWriter: StatCacheWriter?
  /// The blocks that this walk does not rely on.
  private let badBlocks: ObjectID?
  private let growth: GrowthGuard?
  private(set) var rules: WalkRules
  /// What the last record says has changed, between which trees. Nil when that were too many paths.
  private var changes: (parent: ObjectID, tree: ObjectID, paths: [[UInt8]])?

  /// `storing`: false writes nothing. `useCache`: false reads every file. `rules`: what is left out; nil uses the
  /// config, the rule files of the folder, and the rules of earlier commands. `telling`: only report whether each file
  /// differs from this tree; a file whose size differs is not read. `replacing`: packs that will be removed, so their
  /// blobs are stored again. `growth`: ends the walk where it finds too much.
  init(
    _ repository: Repository, monitor: any Monitor, storing: Bool, useCache: Bool = true,
    rules: WalkRules? = nil, telling tree: ObjectID? = nil, replacing leaving: Set<ObjectID> = [],
    growth: GrowthGuard? = nil
  ) throws(RepositoryError) {
    self.repository = repository
    self.monitor = monitor
    self.growth = growth
    if let rules { self.rules = rules } else { self.rules = try repository.rules() }
    let store = repository.store
    let root = try repository.root
    let present: Set<ObjectID>?
    do throws(Errno) {
      rootStatus = try root.descriptor.status()
    } catch {
      throw RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code)
    }
    // When only differences are reported, nothing that the cache knows is read from the packs.
    (packs, present) = try translating { () throws(StoreError) in
      (
        storing ? try store.packWriter(ignoring: leaving, checkpoint: PackWriter.checkpointOfSaves) : nil,
        storing || tree == nil ? try store.index.intactPacks() : nil
      )
    }
    if present != nil, !storing { store.index.badBlocks.load() }
    badBlocks = store.index.badBlocks.digest
    scratch = ScratchObjects(over: store)
    cache =
      useCache
      ? StatCache(repository.worktree, of: rootStatus.identity, presentPacks: present, badBlocks: badBlocks) : nil
    cacheWriter = storing ? StatCacheWriter(repository.worktree, rootDevice: rootStatus.device) : nil
    context = SaveContext(
      store: store, monitor: monitor, cache: cache, cacheWriter: cacheWriter, root: rootStatus,
      storeIdentity: repository.storeIdentity, rules: self.rules, wanted: nil,
      readsAll: tree == nil || cache?.tree != tree, growth: growth, begun: cacheWriter?.begun ?? FolderWalk.now(nil))
    let sink: ObjectSink = packs.map { .packs($0) } ?? .memory(scratch)
    writers = (0..<Host.processorCount()).map { _ in ObjectWriter(sink, store: store) }
  }

  /// The number of walks of a folder in which entries move. Entries that the last walk has missed are reported.
  private static let walks = 4

  /// Walks the folder. Repeats the walk while a second look finds entries that moved and were missed.
  func run() throws(RepositoryError) -> ArchivedTree {
    let root = try repository.root
    var tree = try Archiver(root: root, context: context, writers: writers).run()
    for walk in 2...FolderWalk.walks + 1 {
      guard context.isRestless, let (missed, known) = lookAgain(root), !missed.isEmpty else { break }
      if walk > FolderWalk.walks {
        tree.addProblems(missed, "moved while the folder was read, and is not recorded")
        break
      }
      context = SaveContext(
        store: repository.store, monitor: monitor, cache: known, cacheWriter: cacheWriter, root: rootStatus,
        storeIdentity: repository.storeIdentity, rules: rules, wanted: context.wanted, readsAll: context.readsAll,
        growth: growth, begun: FolderWalk.now(cacheWriter))
      let bytesRead = tree.bytesRead
      tree = try Archiver(root: root, context: context, writers: writers).run()
      tree.bytesRead += bytesRead
    }
    return tree
  }

  /// The paths that a walk has missed, and the cache for the next walk.
  private func lookAgain(_ root: SharedDescriptor) -> (missed: [BytePath], known: StatCache?)? {
    guard let cacheWriter else {
      // Nothing is stored, so there is no record of what was seen. Only the vanished entries can be checked.
      let missed = context.vanished.filter { isThere($0) }
      return (missed.map(\.path), cache)
    }
    guard let known = cacheWriter.written(root: context.rootRecord) else {
      return (context.vanished.map(\.path), cache)
    }
    var look = SecondLook(context, root: root, known: known) { cacheWriter.now() }
    return (look.missed(), known)
  }

  /// Whether a vanished name exists after all; true also when that cannot be found out.
  private func isThere(_ entry: VanishedEntry) -> Bool {
    do throws(Errno) {
      return try entry.directory.open().descriptor.statusIfPresent(of: entry.name) != nil
    } catch {
      return true
    }
  }

  private static func now(_ cacheWriter: StatCacheWriter?) -> Timestamp {
    cacheWriter?.now() ?? Clock.now().adding(seconds: -2)
  }

  /// Adds rules: the next walk also ignores what they ignore.
  func keep(_ set: RuleSet) {
    rules = rules.keeping(set)
  }

  /// Walks once more, and also records ignored files where `tree` has something. Reads again the files that were read
  /// before, but does not store their content twice.
  func run(wanting tree: ObjectID) throws(RepositoryError) -> ArchivedTree {
    context = SaveContext(
      store: repository.store, monitor: monitor, cache: cache, cacheWriter: cacheWriter, root: rootStatus,
      storeIdentity: repository.storeIdentity, rules: rules, wanted: WantedPaths(tree: tree, source: source),
      begun: FolderWalk.now(cacheWriter))
    return try run()
  }

  /// The trees of this walk and of the store.
  var source: any MetaSource {
    packs.map { PendingSource(pending: $0.pendingObjects(), store: repository.store) } ?? scratch
  }

  /// Compares trees of the store and of this walk. Notes of the walk make most reads unnecessary.
  var diff: TreeDiff<StoreError> {
    let source = source
    return TreeDiff(old: source, new: source, noted: context.noted, monitor: monitor)
  }

  /// Makes the record of a walk, with the changes since the snapshot before.
  func record(
    _ tree: ArchivedTree, since parent: StoredSnapshot?
  ) throws(RepositoryError) -> SnapshotRecord {
    try translating { () throws(StoreError) in
      var changes = ChangeCounts(added: tree.entries)
      var touched: TouchedPaths?
      self.changes = nil
      if let parent, let before = parent.record.tree, let found = try differences(from: before, to: tree.tree) {
        (changes, touched) = (found.counts, found.paths.changed)
        self.changes = found.paths.changedPaths.map { (parent.id, tree.tree, $0) }
      }
      let writer = writers[0]
      let chunker = context.chunker
      let links =
        tree.links.isEmpty
        ? nil : try writer.storeContent(LinkTable.encode(tree.links), chunker: chunker)
      let unrecorded =
        tree.problems.isEmpty
        ? nil : try writer.storeContent(UnrecordedList.encode(tree.problems), chunker: chunker)
      return SnapshotRecord(
        body: .tree(tree.tree, tree.root), files: tree.files, bytes: tree.bytes, parent: parent?.id, replaces: nil,
        time: Clock.now(), user: Host.userName(), host: Host.name(), name: nil, message: nil, changes: changes,
        isComplete: tree.isComplete, links: links, unrecorded: unrecorded, touched: touched)
    }
  }

  /// Nil when the older tree is damaged, so that the folder can still be saved. A notice says so.
  private func differences(
    from before: ObjectID, to now: ObjectID
  ) throws(StoreError) -> (counts: ChangeCounts, paths: TouchedPathList)? {
    var counts = ChangeCounts()
    var paths = TouchedPathList()
    do throws(StoreError) {
      try diff.walk(from: before, to: now, label: 0) { (folder, old, new) throws(StoreError) -> TreeStep in
        counts.add(old, new)
        guard let entry = new ?? old else { return .pass }
        let isDirectory = old?.isDirectory == true || new?.isDirectory == true
        let isChange = ChangeKind(old, new) != nil
        return .enter(paths.add(entry.name, in: folder, isDirectory: isDirectory, isChange: isChange))
      }
      return (counts, paths)
    } catch {
      guard error.isDamage else { throw error }
      repository.notice(
        Notice(.foundDamage, file: "packs", detail: "\(error.message), so all that there is counts as added"))
      return nil
    }
  }

  /// Stores a record that `record` has made, and returns its id.
  func store(_ record: SnapshotRecord) throws(RepositoryError) -> ObjectID {
    let id = try translating { () throws(StoreError) in try writers[0].storeMeta(record.encoded()) }
    if packs != nil, let changes, changes.parent == record.parent, changes.tree == record.tree {
      repository.worktree.add(SavedChanges.entry(id, since: changes.parent, changes.paths))
    }
    return id
  }

  /// Flushes the packs and makes them visible to readers. Nothing refers to them yet. The change of `refs` that follows
  /// makes the names of the packs durable; `durably` does so at once, if no such change follows soon. Returns the names
  /// of the packs.
  @discardableResult
  func finishPacks(durably: Bool = false) throws(RepositoryError) -> Set<ObjectID> {
    try translating { () throws(StoreError) in
      for writer in writers { try writer.flush() }
      return try packs?.finish(durably: durably) ?? []
    }
  }

  /// Puts the stat cache in place. This comes after the commit, because the cache promises that its content is stored.
  /// When the packs cannot be listed, no new cache is written, and the next save reads more files.
  func finishCache() {
    guard let packs = try? repository.store.index.presentPacks() else {
      cacheWriter?.discard()
      return
    }
    cacheWriter?.finish(
      of: rootStatus.identity, rootRecord: context.rootRecord, packs: packs + (badBlocks.map { [$0] } ?? []))
  }

  /// What a cancelled walk has stored is kept if it is more than this, in bytes. Less is stored again in no time.
  private static let leastKept: UInt64 = 16 << 20

  /// Keeps what a cancelled walk has stored, so that the next save need not store it again. Nothing refers to it, so gc
  /// removes it. Returns whether it is kept.
  func keepStored() -> Bool {
    if bytesStored < FolderWalk.leastKept { return false }
    cacheWriter?.discard()
    do throws(RepositoryError) {
      return try !finishPacks(durably: true).isEmpty
    } catch {
      // The walk ends with its own error. What could not be kept is stored again.
      packs?.discard()
      return false
    }
  }

  /// Removes the temporary files of the walk.
  func discard() {
    packs?.discard()
    cacheWriter?.discard()
  }

  var bytesStored: UInt64 { packs?.bytesStored ?? 0 }
  var writer: ObjectWriter { writers[0] }
}

/// Reads blobs from the unfinished packs first, and then from the store.
private struct PendingSource: BlobSource {
  let pending: PendingObjects
  let store: Store

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    if let bytes = try pending.read(id) { return bytes }
    return try store.read(id)
  }
}
