// The counters and problems that all workers of one restore share.

internal import MementoSystem
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
  /// The files of several chunks that were begun, and not all of whose chunks were written.
  private let unfinished = Mutex<[ObjectIdentifier: PartialFile]>([:])

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

  func begin(_ file: PartialFile) {
    unfinished.withLock { $0[ObjectIdentifier(file)] = file }
  }

  func finish(_ file: PartialFile) {
    unfinished.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(file)) }
  }

  /// Removes the files that were begun and not finished, after the work has failed.
  func discardUnfinished() {
    for file in unfinished.withLock({ $0.values.map(\.self) }) {
      do throws(Errno) {
        try file.discard()
      } catch {
        // The failure of the work counts. It says that the folder is incomplete.
      }
    }
  }
}
