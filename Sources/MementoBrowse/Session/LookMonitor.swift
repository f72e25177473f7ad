// Lets somebody stop a look that nobody waits for any more.

package import MementoKit
import Synchronization

package final class LookMonitor: Monitor {
  private let flag = Atomic<Bool>(false)

  package init() {}

  func cancel() { flag.store(true, ordering: .relaxed) }

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }
  package func begin(_ phase: Phase) {}
  package func advance(files: Int, bytes: UInt64) {}
  package func report(_ problem: Problem) {}
}
