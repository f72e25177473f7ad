// Makes every new file completely in the staging folder. A full disk or a damaged blob shows here, while the folder is
// still unchanged.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

struct RestoreStage {
  let plan: RestorePlan
  let staging: StagingFolder
  let repository: Repository
  let monitor: any Monitor
  let problems: RestoreProblems

  let rights: RestoreRights
  /// The list of the staging folder, still without its items.
  let list: StagingList
  /// Where new files may share their blocks with others.
  let sharing: BlockSharing?

  /// What was staged.
  struct Staged {
    /// Bytes that were written.
    var written: UInt64
    /// Bytes of files that share their blocks with another file.
    var shared: UInt64
    /// The numbers of items for which no file could be made.
    var unmade: Set<Int>
  }

  func run() throws(RepositoryError) -> Staged {
    let progress = WriteProgress(monitor, problems)
    try WriterPool(progress, store: repository.store).run { (handOn) throws(RepositoryError) in
      try add(progress, handOn)
    }
    let unmade = try link(unmade: progress.unmade.withLock { $0 })
    do throws(Errno) {
      try list.write(plan, into: staging.directory.descriptor)
    } catch {
      throw failure(BytePath(StagedName.list), "write", error)
    }
    return Staged(
      written: progress.written.load(ordering: .relaxed), shared: progress.shared.load(ordering: .relaxed),
      unmade: unmade)
  }

  /// Makes the other names of files with several names. Adds the items whose first file could not be made.
  private func link(unmade: Set<Int>) throws(RepositoryError) -> Set<Int> {
    var unmade = unmade
    if !plan.items.hasLinks { return unmade }
    try plan.items.forEach(.content) { (item) throws(RepositoryError) in
      guard let first = item.linkOf else { return }
      if unmade.contains(first) {
        unmade.insert(item.number)
        return
      }
      do throws(Errno) {
        try staging.directory.descriptor.link(
          StagedName.waiting(first), to: StagedName.waiting(item.number), in: staging.directory.descriptor)
      } catch {
        throw failure(plan.path(of: item), "link", error)
      }
    }
    return unmade
  }

  /// Adds all new files. Before that, it checks that there is room for them; a walk or a save has read their trees.
  private func add(_ progress: WriteProgress, _ handOn: @escaping (FileWriter) -> Void) throws(RepositoryError) {
    var room = RestoreRoom(repository.store, in: try repository.root)
    try plan.items.forEach(.made) { (item) throws(RepositoryError) in
      guard item.isMade, let entry = item.new else { return }
      if let sharing, sharing.mayHave(entry, at: plan.path(of: item)) { return }
      try room.add(entry, path: { plan.path(of: item) })
    }
    try room.checkFree()
    monitor.expect(bytes: room.data)
    var batch = WriteBatch(
      into: staging.directory, from: repository.store, rights, progress, sharing: sharing, handOn: handOn)
    try plan.items.forEach(.made) { (item) throws(RepositoryError) in
      guard item.isMade, let entry = item.new else { return }
      let place = StagedPlace(directory: staging.directory, path: plan.path(of: item))
      let file = FileToWrite(place: place, name: StagedName.waiting(item.number), entry: entry, item: item.number)
      try translating { () throws(StoreError) in try batch.add(file) }
    }
    batch.finish()
  }

  private func failure(_ path: BytePath, _ verb: String, _ error: Errno) -> RepositoryError {
    RepositoryError(
      .system, "cannot \(verb) \(path): \(error)", path: path,
      systemError: error.code)
  }
}

/// The staging folder as the place of a file whose final path is `path`.
private struct StagedPlace: WritePlace {
  let directory: SharedDescriptor
  let path: BytePath

  func open() throws(Errno) -> SharedDescriptor { directory }

  func path(of name: [UInt8]) -> BytePath { path }
}
