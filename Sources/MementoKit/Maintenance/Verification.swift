// Checks the store: every snapshot, tree and list, and that every chunk exists; on request also every byte. Reports
// which states and paths are damaged. Changes nothing.

internal import MementoStore
internal import MementoSystem

struct Verification {
  let repository: Repository
  let monitor: any Monitor

  /// Does not wait for other processes as long as it finds no damage. While gc or repair hold the store, it reads
  /// without a lock. When it then finds damage, it waits for the lock and checks again; only damage found under the
  /// lock counts.
  func run(_ options: VerifyOptions) throws(RepositoryError) -> VerifyReport {
    if let lock = try repository.lockForReadingNow() { return try check(options, holding: lock) }
    // Without the lock, damage or an error may come from what the other process does. Both lead to a second check.
    if let report = try? look(options), report.damage.isEmpty { return report }
    if monitor.isCancelled { throw .cancelled }
    return try check(options, holding: try repository.lockForReading(monitor))
  }

  private func check(
    _ options: VerifyOptions, holding lock: borrowing StoreLock<UsesPacks>
  ) throws(RepositoryError) -> VerifyReport {
    try look(options)
  }

  private func look(_ options: VerifyOptions) throws(RepositoryError) -> VerifyReport {
    var check = StoreCheck(repository, monitor: monitor)
    try check.run(options)
    return check.report
  }
}
