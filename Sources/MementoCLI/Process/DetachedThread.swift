// A thread that nobody waits for: what it does ends by itself, or with the process.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum DetachedThread {
  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  /// Runs `body` on a thread of its own. Returns false when there cannot be one.
  @discardableResult
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Glibc)
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { pointer in
          if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run() }
          return nil
        }, work.toOpaque())
      if code == 0 { pthread_detach(thread) }
    #elseif canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, nil,
        { pointer in
          Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run()
          return nil
        }, work.toOpaque())
      if code == 0, let thread { pthread_detach(thread) }
    #endif
    if code != 0 { work.release() }
    return code == 0
  }
}
