// Signals that ask for an end set a number that long work polls: it stops between two files, and the store is as it was.
// A second one kills at once. Short commands never come here and end as every program does: one rename commits, so
// there is no moment at which that hurts.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum Signals {
  /// The signal that came; 0 for none.
  static let received = Atomic<Int32>(0)

  /// A write to a pipe without a reader, or over the limit of file sizes, fails with an error instead of a kill. Returns
  /// the signals that the caller did not ignore.
  static func ignoreWriteSignals() -> [Int32] {
    [SIGPIPE, SIGXFSZ].filter { number in
      var old = sigaction()
      let isNew = sigaction(number, nil, &old) == 0 && !isIgnored(old)
      _ = signal(number, SIG_IGN)
      return isNew
    }
  }

  /// Whoever started this program may ignore the ends of children; then nobody could ask how one ended.
  static func watchChildren() {
    _ = signal(SIGCHLD, SIG_DFL)
  }

  static func catchEndings() {
    // The first use makes the number; a handler must not be the first.
    _ = received.load(ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var old = sigaction()
      // What the caller ignores stays ignored: `nohup`, and background jobs of scripts.
      guard sigaction(number, nil, &old) == 0, !isIgnored(old) else { continue }
      var new = sigaction()
      setHandler(&new) { number, _, _ in Signals.received.store(number, ordering: .relaxed) }
      new.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND)) | Int32(SA_SIGINFO)
      sigaction(number, &new, nil)
    }
  }

  /// An interrupt from the keyboard goes to the pager, too, which has its own use for it: this program must not die of it
  /// and leave the terminal to two readers.
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

  /// The action must have SA_SIGINFO among its flags.
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
