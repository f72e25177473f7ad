// Work on a thread of its own while the caller waits for something else, such as a disk.

internal import Synchronization

/// Tells background work that nobody waits for it any more.
package final class BackgroundEnd: Sendable {
  private let flag = Atomic<Bool>(false)

  init() {}

  /// Whether the work should end now.
  package var isDue: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}

/// Runs `body`, and meanwhile `background` on another thread. When `body` has ended, `background` is told, and waited for.
/// Does without `background` where there is one processor, whose time `body` needs, and where the system refuses a
/// thread. Returns what `body` returns or throws.
package func besideBackground<Result, Failure: Error>(
  _ background: @escaping @Sendable (BackgroundEnd) -> Void, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  if Host.processorCount() == 1 { return try body() }
  let end = BackgroundEnd()
  var threads = WorkerThreads()
  _ = threads.start { background(end) }
  let result = Swift.Result { () throws(Failure) in try body() }
  end.set()
  threads.join()
  return try result.get()
}
