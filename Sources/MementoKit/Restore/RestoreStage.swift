// Makes every new file in the staging folder, complete: a full disk or a damaged blob shows here, while the folder is
// untouched.

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
  /// What stands in the list of the staging folder, without the items.
  let list: StagingList

  /// What was staged.
  struct Staged {
    /// Bytes.
    var written: UInt64
    /// Items of which nothing could be made.
    var unmade: Set<Int>
  }

  func run() throws(RepositoryError) -> Staged {
    let progress = WriteProgress(monitor, problems)
    try WriterPool(progress, store: repository.store).run { (handOn) throws(RepositoryError) in
      try add(progress, handOn)
    }
    var unmade = progress.unmade.withLock { $0 }
    for (index, item) in plan.items.enumerated() {
      guard let first = item.linkOf, item.action != .metadata else { continue }
      if unmade.contains(first) {
        unmade.insert(index)
        continue
      }
      do throws(Errno) {
        try staging.directory.descriptor.link(
          StagedName.waiting(first), to: StagedName.waiting(index), in: staging.directory.descriptor)
      } catch {
        throw failure(plan.path(of: item), "link", error)
      }
    }
    do throws(Errno) {
      try list.write(plan, into: staging.directory.descriptor)
    } catch {
      throw failure(BytePath(StagedName.list), "write", error)
    }
    return Staged(written: progress.written.load(ordering: .relaxed), unmade: unmade)
  }

  /// Adds all new files. The plan was made from trees that a walk or a save has read: what they declare is counted before.
  private func add(_ progress: WriteProgress, _ handOn: @escaping (FileWriter) -> Void) throws(RepositoryError) {
    var room = RestoreRoom(repository.store, in: try repository.root)
    for item in plan.items where item.isMade {
      guard let entry = item.new else { continue }
      try room.add(entry, path: { plan.path(of: item) })
    }
    var batch = WriteBatch(into: staging.directory, from: repository.store, rights, progress, handOn: handOn)
    for (index, item) in plan.items.enumerated() where item.isMade {
      guard let entry = item.new else { continue }
      let place = StagedPlace(directory: staging.directory, path: plan.path(of: item))
      let file = FileToWrite(place: place, name: StagedName.waiting(index), entry: entry, item: index)
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

/// The staging folder, for a file that will have another path.
private struct StagedPlace: WritePlace {
  let directory: SharedDescriptor
  let path: BytePath

  func open() throws(Errno) -> SharedDescriptor { directory }

  func path(of name: [UInt8]) -> BytePath { path }
}
