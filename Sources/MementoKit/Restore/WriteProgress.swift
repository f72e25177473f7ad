// What all workers of one restore count and report.

internal import Synchronization

final class WriteProgress: Sendable {
  let monitor: any Monitor
  let problems: RestoreProblems
  let written = Atomic<UInt64>(0)
  /// The items of a plan of which nothing could be made; each was reported.
  let unmade = Mutex<Set<Int>>([])
  /// Files of several chunks that are open now.
  let openParts = Atomic<Int>(0)
  private let failure = Mutex<RepositoryError?>(nil)

  init(_ monitor: any Monitor, _ problems: RestoreProblems) {
    self.monitor = monitor
    self.problems = problems
  }

  var isCancelled: Bool { monitor.isCancelled }

  /// Throws what ended the work, if anything did.
  func check() throws(RepositoryError) {
    if let failure = failure.withLock({ $0 }) { throw failure }
    if monitor.isCancelled { throw .cancelled }
  }

  /// Runs `body` unless the work has ended; the first failure ends it.
  func perform(_ body: () throws(RepositoryError) -> Void) {
    do throws(RepositoryError) {
      try check()
      try body()
    } catch {
      failure.withLock { if $0 == nil { $0 = error } }
    }
  }
}
