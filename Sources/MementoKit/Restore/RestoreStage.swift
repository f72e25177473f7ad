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
  struct Result {
    /// Bytes.
    var written: UInt64
    /// Items of which nothing could be made.
    var unmade: Set<Int>
  }

  func run() throws(RepositoryError) -> Result {
    var orders: [WriteOrder] = []
    var room = RestoreRoom(repository.store, in: try repository.root)
    for (index, item) in plan.items.enumerated() {
      guard item.action == .create || item.action == .replace, item.linkOf == nil, let entry = item.new else {
        continue
      }
      try room.add(entry, path: { plan.path(of: item) })
      orders.append(
        WriteOrder(
          place: StagedPlace(directory: staging.directory, path: plan.path(of: item)), name: StagedName.waiting(index),
          entry: entry, item: index))
    }
    let tally = WriteTally(monitor, problems)
    let writer = try translating { () throws(StoreError) in
      try FileWriter(orders, into: staging.directory, from: repository.store, rights, tally: tally)
    }
    try WriteCrew(tally, store: repository.store).run { add in add(writer) }
    var unmade = tally.unmade.withLock { $0 }
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
    return Result(written: tally.written.load(ordering: .relaxed), unmade: unmade)
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
