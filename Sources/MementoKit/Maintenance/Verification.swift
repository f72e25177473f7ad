// Checks the store: every snapshot, tree and list, that every chunk is there, and if asked that every byte is right. Says
// which states and paths are hurt. Changes nothing.

internal import MementoStore
internal import MementoSystem

struct Verification {
  let repository: Repository
  let monitor: any Monitor

  /// Waits for nobody who finds the store whole. While somebody restores or collects garbage it is looked at without the
  /// lock; what is hurt then counts only if it still is when they have ended.
  func run(readData: Bool) throws(RepositoryError) -> VerifyReport {
    if let lock = try repository.lockForReadingNow() {
      let report = try check(readData: readData)
      _ = consume lock
      return report
    }
    if let report = try? check(readData: readData), report.damage.isEmpty { return report }
    if monitor.isCancelled { throw .cancelled }
    let lock = try repository.lockForReading(monitor)
    let report = try check(readData: readData)
    _ = consume lock
    return report
  }

  private func check(readData: Bool) throws(RepositoryError) -> VerifyReport {
    var check = StoreCheck(repository, monitor: monitor)
    try check.run(readData: readData)
    return check.report
  }
}
