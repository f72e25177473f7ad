// One job at a time on a thread of its own, so that the keys never wait. A job that has not begun gives way to a newer one.

import MementoSystem
import Synchronization

final class Lane: Sendable {
  private struct Jobs {
    var waiting: (@Sendable () -> Void)?
    var isRunning = false
  }

  private let jobs = Mutex(Jobs())

  /// The first of some lanes that has nothing to do, or the first of all.
  static func free(of lanes: [Lane]) -> Lane? {
    lanes.first { !$0.jobs.withLock { $0.isRunning } } ?? lanes.first
  }

  func run(_ job: @escaping @Sendable () -> Void) {
    let isIdle = jobs.withLock { jobs in
      jobs.waiting = job
      defer { jobs.isRunning = true }
      return !jobs.isRunning
    }
    guard isIdle else { return }
    var threads = WorkerThreads()
    let hasStarted = threads.start { self.work() }
    threads.detach()
    // When the system refuses a thread, the keys have to wait.
    if !hasStarted { work() }
  }

  private func work() {
    while let job = next() { job() }
  }

  private func next() -> (@Sendable () -> Void)? {
    jobs.withLock { jobs in
      let job = jobs.waiting
      jobs.waiting = nil
      jobs.isRunning = job != nil
      return job
    }
  }
}
