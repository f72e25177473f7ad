// The counters and problems that all workers of one restore share.

internal import Synchronization

final class WriteProgress: Sendable {
  let monitor: any Monitor
  let problems: RestoreProblems
  let written = Atomic<UInt64>(0)
  /// Bytes of files that share their blocks with another file.
  let shared = Atomic<UInt64>(0)
  /// The numbers of items for which nothing could be made. Each was reported.
  let unmade = Mutex<Set<Int>>([])
  /// How many files of several chunks are open now.
  let openParts = Atomic<Int>(0)
  private let failure = Mutex<RepositoryError?>(nil)

  init(_ monitor: any Monitor, _ problems: RestoreProblems) {
    self.monitor = monitor
    self.problems = problems
  }

  var isCancelled: Bool { monitor.isCancelled }

  /// Throws the first failure, or `.cancelled`.
  func check() throws(RepositoryError) {
    if let failure = failure.withLock({ $0 }) { throw failure }
    if monitor.isCancelled { throw .cancelled }
  }

  /// Runs `body`, unless the work has failed or was cancelled. Keeps the first failure.
  func perform(_ body: () throws(RepositoryError) -> Void) {
    do throws(RepositoryError) {
      try check()
      try body()
    } catch {
      failure.withLock { if $0 == nil { $0 = error } }
    }
  }
}
