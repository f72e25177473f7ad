// A stack of tasks that can add more tasks, shared by a few threads. The last task added is taken first, so that a tree
// is walked depth first and memory grows with its depth only. One thread alone can finish all tasks; no thread waits
// for another that may not exist.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Tasks for a few threads. The work ends when no task is left and none is running.
///
/// `@unchecked Sendable`: every field is used only while `lock` is held. `Mutex` has no condition variable.
package final class WorkStack<Task: Sendable>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var tasks: [Task] = []
  private var running = 0
  private var waiting = 0

  package init() {
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    pthread_cond_destroy(changed)
    lock.deallocate()
    changed.deallocate()
  }

  /// Adds tasks. The last one is taken first.
  package func push(_ new: some Sequence<Task>) {
    pthread_mutex_lock(lock)
    tasks.append(contentsOf: new)
    if waiting > 0 { pthread_cond_broadcast(changed) }
    pthread_mutex_unlock(lock)
  }

  /// Runs tasks until none is left, on the calling thread and `count` - 1 others. When the system refuses a thread, the
  /// running threads do its work. `body` gets the number of its thread, from 0, and the task.
  package func run(workers count: Int, _ body: @Sendable (_ worker: Int, Task) -> Void) {
    withoutActuallyEscaping(body) { body in
      let work = { @Sendable (worker: Int) in
        while let task = self.next() {
          body(worker, task)
          self.finished()
        }
      }
      var threads = WorkerThreads()
      for worker in 1..<max(1, count) {
        guard threads.start({ work(worker) }) else { break }
      }
      work(0)
      threads.join()
    }
  }

  private func next() -> Task? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let task = tasks.popLast() {
        running += 1
        return task
      }
      if running == 0 { return nil }
      waiting += 1
      pthread_cond_wait(changed, lock)
      waiting -= 1
    }
  }

  private func finished() {
    pthread_mutex_lock(lock)
    running -= 1
    if running == 0, tasks.isEmpty { pthread_cond_broadcast(changed) }
    pthread_mutex_unlock(lock)
  }
}
