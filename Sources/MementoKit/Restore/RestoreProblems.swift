// Collects the problems of a restore, from all workers.

internal import Synchronization

final class RestoreProblems: Sendable {
  private let monitor: any Monitor
  private let list = Mutex<[Problem]>([])
  private let ownerNoted = Atomic<Bool>(false)
  private let ownerRefused = Atomic<Bool>(false)

  init(_ monitor: any Monitor) {
    self.monitor = monitor
  }

  var all: [Problem] { list.withLock { $0.sorted { $0.path < $1.path } } }

  func contains(_ path: BytePath) -> Bool { list.withLock { $0.contains { $0.path == path } } }

  func report(_ path: BytePath, _ message: String, isNote: Bool = false) {
    report(Problem(path: path, message: message, isNote: isNote))
  }

  func report(_ problem: Problem) {
    list.withLock { $0.append(problem) }
    monitor.report(problem)
  }

  /// Notes once per restore that only root can set some owners.
  func noteOwner(_ path: BytePath) {
    if ownerNoted.exchange(true, ordering: .relaxed) { return }
    report(path, "owner or group not restored, here and elsewhere: only root can", isNote: true)
  }

  /// Reports once per restore that the store of another user names owners that were not set.
  func reportForeignOwner(_ path: BytePath) {
    if ownerRefused.exchange(true, ordering: .relaxed) { return }
    report(
      path,
      "owner not restored, here and elsewhere: the store belongs to another user (--as-recorded restores it)")
  }
}
