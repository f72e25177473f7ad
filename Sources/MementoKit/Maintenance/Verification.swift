// Checks the store: every snapshot, tree and list, that every chunk is there, and if asked that every byte is right. Says
// which states and paths are hurt. Changes nothing.

internal import MementoStore
internal import MementoSystem

struct Verification {
  let repository: Repository
  let monitor: any Monitor

  /// Waits for nobody who finds the store whole. While somebody collects garbage or repairs, the store is looked at without a
  /// lock; damage counts only if it is still there when they have ended.
  func run(readData: Bool) throws(RepositoryError) -> VerifyReport {
    if let lock = try repository.lockForReadingNow() { return try check(readData: readData, holding: lock) }
    // Damage that is seen without the lock may be the work of the other process, and so may an error: both are looked at again.
    if let report = try? look(readData: readData), report.damage.isEmpty { return report }
    if monitor.isCancelled { throw .cancelled }
    return try check(readData: readData, holding: try repository.lockForReading(monitor))
  }

  private func check(
    readData: Bool, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> VerifyReport {
    try look(readData: readData)
  }

  private func look(readData: Bool) throws(RepositoryError) -> VerifyReport {
    var check = StoreCheck(repository, monitor: monitor)
    try check.run(readData: readData)
    return check.report
  }
}
