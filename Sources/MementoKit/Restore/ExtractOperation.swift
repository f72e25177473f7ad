// Restores into a new or empty folder. It stages nothing, because a failure loses nothing. It flushes nothing, because
// the store has all the content.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

struct ExtractOperation {
  let repository: Repository
  let options: ExtractOptions
  let monitor: any Monitor
  /// Where the contents are that the store does not have.
  var distant: DistantContents?

  func run(_ revision: Revision, to destination: BytePath) throws(RepositoryError) -> RestoreSummary {
    try run(revision, to: destination, holding: try repository.lockForReading(monitor))
  }

  private func run(
    _ revision: Revision, to destination: BytePath, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> RestoreSummary {
    let refs = try repository.readRefs()
    let chosen = try RevisionResolver(repository, refs).resolve(revision)
    guard case .tree(let whole, let rootMetadata) = chosen.record.body else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueNeedsNoFolder, revision: revision)
    }
    let scratch = ScratchObjects(over: repository.store)
    var tree = whole
    var paths = options.paths
    if !options.pathspecs.isEmpty {
      let expansion = PathExpansion(source: scratch, monitor: monitor)
      paths = try expansion.run(options.paths, options.pathspecs, from: nil, to: whole)
    }
    if !paths.isEmpty {
      let writer = ObjectWriter(.memory(scratch), store: repository.store)
      try TreeComposer.check(paths, in: [whole], scratch)
      let composer = TreeComposer(
        source: scratch, filter: PathFilter(paths), kept: nil, keepExtra: false, takesTimes: false,
        writer: writer)
      tree = try translating { () throws(StoreError) in try composer.run(current: nil, target: whole) }
    }
    var summary = RestoreSummary(
      snapshot: Snapshot(chosen), guard: nil, created: 0, replaced: 0, removed: 0, metadata: 0, bytesWritten: 0,
      rescued: [], problems: [], plan: [], isCommitted: !options.isDryRun)
    if options.isDryRun {
      try Extraction(repository, monitor: monitor, root: nil, source: scratch, .asRecorded).plan(tree, into: &summary)
    } else {
      monitor.begin(.restoring)
      if paths.isEmpty { monitor.expect(bytes: chosen.record.bytes) }
      let root = try open(destination)
      let rights = try RestoreRights(repository, into: root, asRecorded: options.asRecorded)
      let extraction = Extraction(
        repository, monitor: monitor, root: root, source: scratch, rights, besides: distant)
      try extraction.checkRoom(tree, atMost: chosen.record.bytes)
      do throws(RepositoryError) {
        try extraction.run(tree, rootMetadata: rootMetadata, into: &summary)
        let filter = PathFilter(paths)
        try SnapshotLists(repository).forEachLink(of: chosen.record) { (name, isFirst) throws(RepositoryError) in
          try extraction.link(name, isFirst: isFirst, filter, in: tree)
          return true
        }
        try extraction.finish(rootMetadata, into: &summary)
      } catch {
        throw incomplete(destination, root, after: error)
      }
    }
    return summary
  }

  /// The error of a restore that has made a part of the folder.
  private func incomplete(
    _ destination: BytePath, _ root: SharedDescriptor, after error: RepositoryError
  ) -> RepositoryError {
    // What cannot be listed is not empty, as far as anybody knows.
    if (try? DirectoryListing(reading: root.descriptor).count) == 0 { return error }
    var error = error
    error.problems.append(
      Problem(path: destination, message: "it is incomplete; remove it before the next try", isNote: false))
    return error
  }

  /// Makes the destination, or opens it if it exists and is empty.
  private func open(_ destination: BytePath) throws(RepositoryError) -> SharedDescriptor {
    do throws(Errno) {
      guard let name = destination.components.last else { throw .exists }
      let above = destination.parent.bytes
      let parent = try Descriptor.open(above.isEmpty ? [UInt8(ascii: ".")] : above, .namedDirectory)
      do throws(Errno) {
        try parent.makeDirectory(name)
      } catch {
        if error != .exists { throw error }
      }
      let root = try Descriptor.open(destination.bytes, .namedDirectory)
      guard try DirectoryListing(reading: root).count == 0 else {
        throw Errno.notEmpty
      }
      return SharedDescriptor(root)
    } catch {
      if error == .notEmpty {
        throw RepositoryError(
          .notEmpty, "\(destination) is not empty", reason: .occupiedDestination, path: destination)
      }
      throw RepositoryError(
        .system, "cannot restore to \(destination): \(error)", path: destination, systemError: error.code)
    }
  }

  /// One extraction. `@unchecked Sendable`: only the worker that plans uses it, and nobody else at that time.
  final class Extraction: @unchecked Sendable {
    let repository: Repository
    let monitor: any Monitor
    let root: SharedDescriptor?
    let source: any MetaSource
    private let rights: RestoreRights
    private let problems: RestoreProblems
    private let progress: WriteProgress
    private var handles: [DirectoryHandle] = []
    private var metadata: [FileMetadata] = []
    private var created = 0
    private var folders = FolderCounts()
    /// The first restored name of the current group of hard links.
    private var linked: [UInt8]?
    /// Whether other users can change names in the destination.
    private var isShared = false
    /// What is in the destination already, and as it must be: files, and folders whose metadata is set again. Nil for an
    /// empty destination.
    private let present: Set<BytePath>?
    /// Where files may share their blocks with those of the working folder.
    private let sharing: BlockSharing?
    private let distant: DistantContents?

    /// `distant`: where the contents are that the store does not have.
    init(
      _ repository: Repository, monitor: any Monitor, root: SharedDescriptor?, source: any MetaSource,
      _ rights: RestoreRights, besides distant: DistantContents? = nil, present: Set<BytePath>? = nil
    ) {
      self.present = present
      self.distant = distant
      // A file that cannot share after all is read from the store.
      sharing = distant == nil ? root.flatMap { BlockSharing(of: repository, into: $0) } : nil
      self.repository = repository
      self.monitor = monitor
      self.root = root
      self.source = source
      self.rights = rights
      problems = RestoreProblems(monitor)
      progress = WriteProgress(monitor, problems)
    }

    func plan(_ tree: ObjectID, into summary: inout RestoreSummary) throws(RepositoryError) {
      let plan = try RestorePlanner(
        current: FolderState(tree: nil, root: nil, links: [], source: source),
        target: FolderState(tree: tree, root: nil, links: [], source: source), untouchable: [], monitor: monitor
      ).run()
      summary.created = plan.totals.created
      summary.folders = plan.folders
      summary.bytesWritten = plan.totals.bytes
      summary.plan = try plan.changes()
    }

    /// Throws when the tree takes more than is free. `most`: the sum of the sizes of all files; as a rule that is enough to
    /// know.
    func checkRoom(_ tree: ObjectID, atMost most: UInt64) throws(RepositoryError) {
      guard let root else { return }
      var room = RestoreRoom(repository.store, in: root)
      guard room.isTight(most) else { return }
      try room.check(tree, source)
      var failure: RepositoryError?
      var folders = [BytePath([])]
      try translating { () throws(StoreError) in
        try TreeDiff(old: source, new: source, monitor: monitor).walk(from: nil, to: tree, label: 0) {
          (above, _, entry) throws(StoreError) in
          guard let entry else { return .pass }
          if entry.isDirectory {
            folders.append(folders[above].appending(entry.name))
            return .enter(folders.count - 1)
          }
          let path = folders[above].appending(entry.name)
          if sharing?.mayHave(entry, at: path) == true { return .pass }
          do throws(RepositoryError) {
            try room.add(entry, path: { path })
          } catch {
            failure = error
            return .stop
          }
          return .pass
        }
      }
      if let failure { throw failure }
      try room.checkFree()
    }

    /// Makes the folders in the order of the tree. Hands their files to other workers, which write them at the same
    /// time.
    func run(
      _ tree: ObjectID, rootMetadata: FileMetadata, into summary: inout RestoreSummary
    ) throws(RepositoryError) {
      guard let root else { return }
      handles = [DirectoryHandle(root: root, pool: HandlePool())]
      // When the look fails, the code assumes that others can change names.
      isShared =
        present == nil && Host.isSuperuser && (try? root.descriptor.status())?.isOpenToOthers != false
      metadata = [rootMetadata]
      do throws(RepositoryError) {
        try WriterPool(progress, store: repository.store, besides: distant).run { (handOn) throws(RepositoryError) in
          try self.plan(tree, into: root, handOn)
        }
      } catch {
        progress.discardUnfinished()
        throw error
      }
      summary.created = created
      summary.folders = folders
      summary.bytesWritten = progress.written.load(ordering: .relaxed)
      summary.bytesShared = progress.shared.load(ordering: .relaxed)
    }

    private func plan(
      _ tree: ObjectID, into root: SharedDescriptor, _ handOn: @escaping (FileWriter) -> Void
    ) throws(RepositoryError) {
      var batch = WriteBatch(
        into: root, from: repository.store, besides: distant, rights, progress, sharing: sharing, handOn: handOn)
      var batches = 0
      var failure: RepositoryError?
      var room = RestoreRoom(repository.store, in: root)
      var newcomers = NewEntries(room, of: tree, in: source)
      try translating { () throws(StoreError) in
        try TreeDiff(old: source, new: source, monitor: monitor).walk(from: nil, to: tree, label: 0) {
          (directory, _, entry) throws(StoreError) in
          guard let entry else { return .pass }
          let isPresent = present?.contains(handles[directory].path(of: entry.name)) == true
          do throws(RepositoryError) {
            if isPresent { return entry.isDirectory ? .enter(take(entry, in: directory)) : .pass }
            try newcomers.add()
            try room.add(entry, path: { handles[directory].path(of: entry.name) })
            if entry.isDirectory {
              folders.created += 1
              try progress.check()
              return .enter(try makeDirectory(entry, in: directory))
            }
          } catch {
            failure = error
            return .stop
          }
          created += 1
          try batch.add(FileToWrite(place: handles[directory], name: entry.name, entry: entry))
          if batch.batches > batches {
            batches = batch.batches
            room.release()
          }
          return .pass
        }
      }
      if let failure { throw failure }
      batch.finish()
    }

    private func makeDirectory(_ entry: TreeEntry, in parent: Int) throws(RepositoryError) -> Int {
      let handle = DirectoryHandle(parent: handles[parent], name: entry.name)
      do throws(Errno) {
        try handles[parent].open().descriptor.makeDirectory(entry.name)
        // Below the top, all directories are closed to others until they are complete.
        if isShared, parent == 0 { try expectNew(handle) }
      } catch {
        let path = handles[parent].path(of: entry.name)
        throw RepositoryError(.system, "cannot make \(path): \(error)", path: path, systemError: error.code)
      }
      return add(handle, entry)
    }

    /// A directory that is there already.
    private func take(_ entry: TreeEntry, in parent: Int) -> Int {
      add(DirectoryHandle(parent: handles[parent], name: entry.name), entry)
    }

    private func add(_ handle: DirectoryHandle, _ entry: TreeEntry) -> Int {
      handles.append(handle)
      metadata.append(entry.metadata)
      return handles.count - 1
    }

    /// Checks the directory that root has just made: the owner of the destination may have put another one in its
    /// place.
    private func expectNew(_ handle: DirectoryHandle) throws(Errno) {
      let directory = try handle.open()
      let status = try directory.descriptor.status()
      guard status.user == Host.effectiveUser, status.permissions & 0o077 == 0,
        try DirectoryListing(reading: directory.descriptor).count == 0
      else { throw .stale }
    }

    /// Makes the other names of files with several names. The first name that exists is the file. A missing name does
    /// not stop the others. `tree`: the tree that was restored.
    func link(_ name: [UInt8], isFirst: Bool, _ filter: PathFilter, in tree: ObjectID) throws(RepositoryError) {
      try progress.check()
      if isFirst { linked = nil }
      guard filter.contains(name) else { return }
      do throws(Errno) {
        let (to, newName) = try locate(name)
        _ = try to.descriptor.status(of: newName)
        guard let first = linked else {
          linked = name
          return
        }
        let (from, oldName) = try locate(first)
        try to.descriptor.removeFile(newName)
        try from.descriptor.link(oldName, to: newName, in: to.descriptor)
      } catch {
        let path = BytePath(name)
        if error == .notFound || error == .notDirectory {
          let entry = try translating { () throws(StoreError) in try TreePath.entry(path, in: tree, source) }
          // The file vanished while it was saved, or the failure to write it has been reported.
          if entry == nil || problems.contains(path) { return }
        }
        problems.report(path, "hard link not restored: \(error)")
      }
    }

    private func locate(_ path: [UInt8]) throws(Errno) -> (SharedDescriptor, [UInt8]) {
      guard let root else { throw .invalid }
      var directory = root
      var rest = path[...]
      // The path may be long. The loop ends at its first folder that does not exist.
      while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
        directory = SharedDescriptor(try directory.descriptor.open(Array(rest[..<slash]), .directory))
        rest = rest[(slash + 1)...]
      }
      return (directory, Array(rest))
    }

    /// Sets modes and times of directories, the deepest first.
    func finish(_ rootMetadata: FileMetadata, into summary: inout RestoreSummary) throws(RepositoryError) {
      let writer = MetadataWriter(problems, rights)
      for index in handles.indices.reversed() {
        let handle = handles[index]
        do throws(Errno) {
          let open = try handle.open()
          try writer.apply(metadata[index], to: open.descriptor, isDirectory: true, path: { BytePath(handle.path) })
          handle.finish()
        } catch {
          problems.report(BytePath(handle.path), "mode, owner, time or attributes not restored: \(error)")
        }
      }
      summary.problems = problems.all
    }
  }
}
