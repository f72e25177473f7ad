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

  /// Returns the bytes written.
  func run() throws(RepositoryError) -> UInt64 {
    var orders: [WriteOrder] = []
    var room = RestoreRoom(repository.store, in: try repository.root)
    for (index, item) in plan.items.enumerated() {
      guard item.action == .create || item.action == .replace, item.linkOf == nil, let entry = item.new else {
        continue
      }
      try room.add(entry, path: { plan.path(of: item) })
      orders.append(
        WriteOrder(
          place: StagedPlace(directory: staging.directory, path: plan.path(of: item)), name: staging.staged(index),
          entry: entry))
    }
    let tally = WriteTally(monitor, problems)
    let writer = try translating { () throws(StoreError) in
      try FileWriter(orders, into: staging.directory, from: repository.store, tally: tally)
    }
    try WriteCrew(tally, store: repository.store).run { add in add(writer) }
    for (index, item) in plan.items.enumerated() {
      guard let first = item.linkOf, item.action != .metadata else { continue }
      do throws(Errno) {
        try staging.directory.descriptor.link(
          staging.staged(first), to: staging.staged(index), in: staging.directory.descriptor)
      } catch {
        throw RepositoryError(
          .system, "cannot link \(plan.path(of: item)): \(error)", path: plan.path(of: item), systemError: error.code)
      }
    }
    return tally.written.load(ordering: .relaxed)
  }
}

/// The staging folder, for a file that will have another path.
private struct StagedPlace: WritePlace {
  let directory: SharedDescriptor
  let path: BytePath

  func open() throws(Errno) -> SharedDescriptor { directory }

  func path(of name: [UInt8]) -> BytePath { path }
}
