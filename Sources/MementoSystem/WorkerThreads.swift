// Threads that live for one piece of work. Dispatch could start them, but when the system refuses a thread (ulimit -u,
// ulimit -v), Dispatch waits for one for ever.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Started threads. The owner must call `join` or `detach` before this value goes out of scope.
package struct WorkerThreads: ~Copyable {
  private var threads: [pthread_t] = []

  package init() {}

  /// The stack size in bytes. It can be small, because no function recurses with the depth of a folder.
  private static let stackSize = 1 << 20

  /// Runs `body` on a new thread. Returns false when the system refuses a thread.
  package mutating func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    // When this fails, the thread gets the default size.
    _ = pthread_attr_setstacksize(&attributes, WorkerThreads.stackSize)
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Glibc)
      var thread = pthread_t()
      let code = pthread_create(
        &thread, &attributes,
        { pointer in
          if let pointer { Work.run(pointer) }
          return nil
        }, work.toOpaque())
      if code == 0 { threads.append(thread) }
    #elseif canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, &attributes,
        { pointer in
          Work.run(pointer)
          return nil
        }, work.toOpaque())
      if code == 0, let thread { threads.append(thread) }
    #endif
    if code != 0 { work.release() }
    return code == 0
  }

  /// Lets the threads end by themselves. What they use must live as long as they do.
  package consuming func detach() {
    for thread in threads { pthread_detach(thread) }
  }

  /// Waits until all threads have ended.
  package consuming func join() {
    for thread in threads { pthread_join(thread, nil) }
  }
}

/// The closure of a thread, which is passed through a C pointer.
private final class Work: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  static func run(_ pointer: UnsafeMutableRawPointer) {
    // Another thread waits for signals. A signal delivered here would only interrupt a system call.
    var all = sigset_t()
    sigfillset(&all)
    for fault in [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_BLOCK, &all, nil)
    Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
  }
}
