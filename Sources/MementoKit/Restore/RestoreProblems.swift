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

  /// A right that this restore does not hand out. `what`: what was not restored.
  func reportWithheld(_ path: BytePath, _ what: String, isNote: Bool = false) {
    report(
      Problem(
        path: path, message: "\(what) not restored: the folder or the store belongs to another user", isNote: isNote,
        reason: .withheldRight))
  }

  /// Owners that only root can set are one note, not one a file.
  func noteOwner(_ path: BytePath) {
    if ownerNoted.exchange(true, ordering: .relaxed) { return }
    report(path, "owner or group not restored, here and elsewhere: only root can", isNote: true)
  }

  /// Reports once per restore that the store of another user names owners that were not set.
  func reportForeignOwner(_ path: BytePath) {
    if ownerRefused.exchange(true, ordering: .relaxed) { return }
    report(
      Problem(
        path: path, message: "owner not restored, here and elsewhere: the store belongs to another user",
        reason: .withheldRight))
  }
}
