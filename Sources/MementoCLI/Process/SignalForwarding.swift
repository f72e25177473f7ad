// Handles signals while a command runs in the foreground. The terminal sends its signals (Ctrl-C, Ctrl-Z) to the whole
// process group, so the command gets them too. A signal that a process sent to this process is forwarded to the
// command. In both cases the command decides what to do, and this process waits for its end.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Forwards signals from `init` until the value goes out of scope. Only one may exist at a time.
struct SignalForwarding: ~Copyable {
  private static let numbers = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]
  /// The process that gets the signals; 0 when there is none.
  private static let receiver = Atomic<Int32>(0)
  /// A signal that was received before the command was started; 0 when there was none.
  private static let early = Atomic<Int32>(0)
  private static let isContinued = Atomic<Bool>(false)
  /// The last signal that asks for an end, of the terminal or of a process; 0 when there was none.
  private static let heard = Atomic<Int32>(0)

  private let before: [(number: Int32, action: sigaction)]

  init() {
    // The first use initializes these variables. That must not happen in a signal handler.
    SignalForwarding.receiver.store(0, ordering: .relaxed)
    SignalForwarding.early.store(0, ordering: .relaxed)
    SignalForwarding.isContinued.store(false, ordering: .relaxed)
    SignalForwarding.heard.store(0, ordering: .relaxed)
    before = SignalForwarding.numbers.compactMap { number in
      var old = sigaction()
      // A signal that the caller ignores stays ignored, here and in the command.
      guard sigaction(number, nil, &old) == 0, !Signals.isIgnored(old) else { return nil }
      SignalForwarding.install(number)
      return (number, old)
    }
  }

  deinit {
    for (number, action) in before {
      var action = action
      sigaction(number, &action, nil)
    }
  }

  /// The last signal since the last `init` that asks for an end; 0 when there was none.
  static var ending: Int32 { heard.load(ordering: .sequentiallyConsistent) }

  /// From now on forwards signals to `process`.
  borrowing func begin(_ process: pid_t) {
    SignalForwarding.receiver.store(process, ordering: .sequentiallyConsistent)
    let missed = SignalForwarding.early.load(ordering: .sequentiallyConsistent)
    if missed != 0 { kill(process, missed) }
  }

  /// Stops forwarding. The process has ended, and another process may soon get its number.
  borrowing func end() {
    SignalForwarding.receiver.store(0, ordering: .sequentiallyConsistent)
  }

  /// Stops this process in the way that `signal` stopped the command, so that the shell takes the terminal back. When
  /// the shell continues this process, it continues the command. In a process group without a shell that could continue
  /// it, the kernel does not stop this process; it then waits until the command goes on.
  borrowing func stop(by signal: Int32, _ process: pid_t) {
    let number = signal == SIGTTIN || signal == SIGTTOU ? signal : SIGTSTP
    var action = sigaction()
    var old = sigaction()
    sigaction(number, nil, &old)
    if Signals.isIgnored(old) { return }
    SignalForwarding.isContinued.store(false, ordering: .sequentiallyConsistent)
    Signals.setDefault(&action)
    sigaction(number, &action, nil)
    raise(number)
    sigaction(number, &old, nil)
    if SignalForwarding.isContinued.load(ordering: .sequentiallyConsistent) { kill(process, SIGCONT) }
  }

  /// Runs in a signal handler: it only stores numbers and sends signals.
  private static func receive(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?) {
    if number == SIGCONT { return isContinued.store(true, ordering: .sequentiallyConsistent) }
    if number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT {
      heard.store(number, ordering: .sequentiallyConsistent)
    }
    let process = receiver.load(ordering: .sequentiallyConsistent)
    if process == 0 {
      early.store(number, ordering: .sequentiallyConsistent)
    } else if number == SIGHUP || info?.pointee.isFromProcess == true {
      // When a terminal is closed, the kernel sends SIGHUP only to the leader of the session, which may be this
      // process.
      kill(process, number)
    }
  }

  private static func install(_ number: Int32) {
    var action = sigaction()
    Signals.setHandler(&action) { number, info, _ in SignalForwarding.receive(number, info) }
    action.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_SIGINFO)) | Int32(SA_RESTART)
    sigaction(number, &action, nil)
  }
}

extension siginfo_t {
  /// Whether a process sent the signal, and not the terminal.
  fileprivate var isFromProcess: Bool {
    #if canImport(Glibc)
      si_code <= 0
    #elseif canImport(Darwin)
      si_pid != 0
    #endif
  }
}
