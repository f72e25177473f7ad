// One walk of the working tree with everything it needs: the stat cache, the packs that are written, the workers. A save,
// the guard of a restore and a dry run all begin with one.

internal import MementoStore
internal import MementoSystem

/// Used by one thread; its workers are inside `run`.
final class FolderWalk {
  private let repository: Repository
  private var context: SaveContext
  private let monitor: any Monitor
  private let cache: StatCache?
  private let writers: [ObjectWriter]
  private let packs: PackWriter?
  private let scratch: ScratchObjects
  private let rootStatus: FileStatus
  private let cacheWriter: StatCacheWriter?
  private(set) var rules: WalkRules

  /// `storing`: false finds out everything and writes nothing. `useCache`: false reads every file.
  /// `rules`: what is left out; when nil, what config and folder say. `telling`: the tree from which differences are all
  /// that is asked for, not what they are; so a file of another size need not be read. `replacing`: packs that are about to go.
  init(
    _ repository: Repository, monitor: any Monitor, storing: Bool, useCache: Bool = true,
    rules: WalkRules? = nil, telling tree: ObjectID? = nil, replacing leaving: Set<ObjectID> = []
  ) throws(RepositoryError) {
    self.repository = repository
    self.monitor = monitor
    self.rules = rules ?? repository.rules()
    let store = repository.store
    let root = repository.root
    do throws(Errno) {
      rootStatus = try root.descriptor.status()
    } catch {
      throw RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code)
    }
    packs = storing ? store.packWriter(ignoring: leaving) : nil
    scratch = ScratchObjects(over: store)
    let present = storing ? store.index.intactPacks() : nil
    cache = useCache ? StatCache(store.folder, of: rootStatus.identity, presentPacks: present) : nil
    cacheWriter = storing ? StatCacheWriter(store.folder, rootDevice: rootStatus.device) : nil
    context = SaveContext(
      store: store, monitor: monitor, cache: cache, cacheWriter: cacheWriter, root: rootStatus,
      storeIdentity: repository.storeIdentity, rules: self.rules, wanted: nil,
      readsAll: tree == nil || cache?.tree != tree)
    let sink: ObjectSink = packs.map { .packs($0) } ?? .memory(scratch)
    writers = (0..<Host.processorCount()).map { _ in ObjectWriter(sink, store: store) }
  }

  func run() throws(RepositoryError) -> ArchivedTree {
    try Archiver(root: repository.root, context: context, writers: writers).run()
  }

  /// From the next walk on, what these rules ignore is ignored, too.
  func keep(_ set: RuleSet) {
    rules = rules.keeping(set)
  }

  /// Walks once more, and records also what is ignored but lies where `tree` has something. Files that were read before
  /// are read again; what was stored of them is not stored twice.
  func run(wanting tree: ObjectID) throws(RepositoryError) -> ArchivedTree {
    context = SaveContext(
      store: repository.store, monitor: monitor, cache: cache, cacheWriter: cacheWriter, root: rootStatus,
      storeIdentity: repository.storeIdentity, rules: rules, wanted: WantedPaths(tree: tree, source: source))
    return try run()
  }

  /// Trees of this walk and of the store.
  var source: any MetaSource {
    packs.map { PendingSource(pending: $0.pendingObjects(), store: repository.store) } ?? scratch
  }

  /// Compares trees of the store with those of this walk, most of them without reading either.
  var diff: TreeDiff { TreeDiff(old: repository.store, new: source, noted: context.noted) }

  /// The record of what was found, against the snapshot before.
  func record(
    _ tree: ArchivedTree, since parent: (id: ObjectID, record: SnapshotRecord)?
  ) throws(RepositoryError) -> SnapshotRecord {
    try translating { () throws(StoreError) in
      var changes = ChangeCounts(added: tree.entries)
      if let before = parent?.record.tree {
        changes = try self.changes(from: before, to: tree.tree) ?? changes
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
        isComplete: tree.isComplete, links: links, unrecorded: unrecorded)
    }
  }

  /// Nil when the older tree is damaged: what the folder holds now can be saved all the same.
  private func changes(from before: ObjectID, to now: ObjectID) throws(StoreError) -> ChangeCounts? {
    do throws(StoreError) {
      return try diff.counts(from: before, to: now)
    } catch {
      switch error {
      case .damaged, .missing: return nil
      default: throw error
      }
    }
  }

  /// Stores a record and returns its id.
  func store(_ record: SnapshotRecord) throws(RepositoryError) -> ObjectID {
    try translating { () throws(StoreError) in try writers[0].storeMeta(record.encoded()) }
  }

  /// Makes what was stored durable and visible to readers, though nothing refers to it yet. The names of the packs are
  /// durable with the change of `refs` that follows; `forGood`: at once, since none follows, or not soon. Returns the names.
  @discardableResult
  func finishPacks(forGood: Bool = false) throws(RepositoryError) -> Set<ObjectID> {
    try translating { () throws(StoreError) in
      for writer in writers { try writer.flush() }
      return try packs?.finish(forGood: forGood && bytesStored > 0) ?? []
    }
  }

  /// Puts the stat cache in place; after the commit, since it vouches for what is stored.
  func finishCache() {
    cacheWriter?.finish(
      of: rootStatus.identity, rootRecord: context.rootRecord, packs: repository.store.index.presentPacks())
  }

  /// Leaves nothing behind.
  func discard() {
    packs?.discard()
    cacheWriter?.discard()
  }

  var bytesStored: UInt64 { packs?.bytesStored ?? 0 }
  var writer: ObjectWriter { writers[0] }
}

/// What is being written, and what is stored.
private struct PendingSource: MetaSource {
  let pending: PendingObjects
  let store: Store

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    if let bytes = try pending.read(id) { return bytes }
    return try store.read(id)
  }
}
