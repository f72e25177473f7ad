// A signal that asks for an end sets a number that long work checks. The work then stops between two files, and the
// store is as it was before. A second signal of the same kind kills at once. Short commands do not catch signals, and a
// signal ends them at once. That is safe at any moment, because one rename commits.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum Signals {
  /// The signal that was received; 0 if none was.
  static let received = Atomic<Int32>(0)

  /// Ignores SIGPIPE and SIGXFSZ, so that a write to a pipe without a reader, or above the limit for file sizes, fails
  /// with an error and does not kill the process. Returns those of them that the caller did not ignore.
  static func ignoreWriteSignals() -> [Int32] {
    [SIGPIPE, SIGXFSZ].filter { number in
      var old = sigaction()
      let isNew = sigaction(number, nil, &old) == 0 && !isIgnored(old)
      _ = signal(number, SIG_IGN)
      return isNew
    }
  }

  /// Restores the default for SIGCHLD. If the caller ignores it, the exit status of a child cannot be read.
  static func watchChildren() {
    _ = signal(SIGCHLD, SIG_DFL)
  }

  /// Catches SIGINT, SIGTERM and SIGHUP once each; a second one of the same kind kills.
  static func catchEndings() {
    // The first use initializes the variable. That must not happen in a signal handler.
    _ = received.load(ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var old = sigaction()
      // A signal that the caller ignores stays ignored, for example under `nohup` and in background jobs of scripts.
      guard sigaction(number, nil, &old) == 0, !isIgnored(old) else { continue }
      var new = sigaction()
      setHandler(&new) { number, _, _ in Signals.received.store(number, ordering: .relaxed) }
      new.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND)) | Int32(SA_SIGINFO)
      sigaction(number, &new, nil)
    }
  }

  /// Catches SIGINT and SIGQUIT every time. An interrupt from the keyboard also goes to the pager, which handles it
  /// itself. If it killed this program, the pager and the shell would both read from the terminal.
  static func holdInterrupts() {
    _ = received.load(ordering: .relaxed)
    for number in [SIGINT, SIGQUIT] {
      var old = sigaction()
      guard sigaction(number, nil, &old) == 0, !isIgnored(old) else { continue }
      var new = sigaction()
      setHandler(&new) { number, _, _ in Signals.received.store(number, ordering: .relaxed) }
      new.sa_flags = Int32(SA_SIGINFO)
      sigaction(number, &new, nil)
    }
  }

  typealias Handler = @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

  /// Sets a handler. `action.sa_flags` must have SA_SIGINFO.
  static func setHandler(_ action: inout sigaction, _ handler: @escaping Handler) {
    #if canImport(Glibc)
      action.__sigaction_handler.sa_sigaction = handler
    #elseif canImport(Darwin)
      action.__sigaction_u.__sa_sigaction = handler
    #endif
  }

  static func setDefault(_ action: inout sigaction) {
    #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = SIG_DFL
    #elseif canImport(Darwin)
      action.__sigaction_u.__sa_handler = SIG_DFL
    #endif
  }

  static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #elseif canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
