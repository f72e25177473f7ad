// A lock whose holders can wait until another thread has changed what it guards. `Mutex` has no condition variable.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A value that several threads share, each for a moment.
///
/// `@unchecked Sendable`: `value` is used only while `lock` is held.
package final class WaitingLock<Value>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    pthread_cond_destroy(changed)
    lock.deallocate()
    changed.deallocate()
  }

  /// Calls `body` with the value while no other thread has it.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }

  /// Calls `body` as `withLock` does, again and again until its result is not nil. Waits between two calls until another
  /// thread calls `wake`, but no longer than `seconds`.
  package func wait<Result, Failure: Error>(
    checkingEvery seconds: Double, until body: (inout Value) throws(Failure) -> Result?
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result = try body(&value) { return result }
      let end = Clock.now().adding(nanoseconds: UInt64(max(0, seconds) * 1e9))
      var time = timespec()
      time.tv_sec = numericCast(end.seconds)
      time.tv_nsec = numericCast(end.nanoseconds)
      pthread_cond_timedwait(changed, lock, &time)
    }
  }

  /// Lets all waiting threads look again.
  package func wake() {
    pthread_cond_broadcast(changed)
  }
}

extension Timestamp {
  fileprivate func adding(nanoseconds delta: UInt64) -> Timestamp {
    let sum = UInt64(nanoseconds) + delta % 1_000_000_000
    let later = adding(seconds: Int64(clamping: delta / 1_000_000_000 + sum / 1_000_000_000))
    return Timestamp(seconds: later.seconds, nanoseconds: UInt32(sum % 1_000_000_000))
  }
}
