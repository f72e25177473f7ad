// Threads that begin and end with one piece of work. Dispatch would start and keep them for us, but where the system
// refuses a thread (ulimit -u, ulimit -v) it waits for one for ever.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Threads that must be joined before this goes.
struct WorkerThreads: ~Copyable {
  private var threads: [pthread_t] = []

  /// Bytes of a stack. No function calls itself once for each level of a folder.
  private static let stackSize = 1 << 20

  /// Runs `body` on a thread of its own; false when the system has none to give.
  mutating func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    // A failure leaves the size that the system chooses.
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

  /// Waits until all have ended.
  consuming func join() {
    for thread in threads { pthread_join(thread, nil) }
  }
}

/// What a thread does, on its way through a pointer of C.
private final class Work: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  static func run(_ pointer: UnsafeMutableRawPointer) {
    // Signals are for the thread that waits for them: one that came here would interrupt a system call for nothing.
    var all = sigset_t()
    sigfillset(&all)
    for fault in [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_BLOCK, &all, nil)
    Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
  }
}
