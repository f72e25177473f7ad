// Signals while a command runs in the foreground. The terminal sends its own (Ctrl-C, Ctrl-Z) to the whole
// process group, so the command has them already; those that a process sent to this one are passed on. Either way it is
// the command that decides, and this process stays to see what it does.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Holds from `init` until it goes; one at a time.
struct SignalForwarding: ~Copyable {
  private static let numbers = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]
  /// Who gets them; 0: nobody.
  private static let receiver = Atomic<Int32>(0)
  /// One that came before there was a command.
  private static let early = Atomic<Int32>(0)
  private static let isContinued = Atomic<Bool>(false)

  private let before: [(number: Int32, action: sigaction)]

  init() {
    // The first use makes the numbers; a handler must not be the first.
    SignalForwarding.receiver.store(0, ordering: .relaxed)
    SignalForwarding.early.store(0, ordering: .relaxed)
    SignalForwarding.isContinued.store(false, ordering: .relaxed)
    before = SignalForwarding.numbers.compactMap { number in
      var old = sigaction()
      // What the caller ignores stays ignored, here and in the command.
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

  /// From now on signals go to a process.
  borrowing func begin(_ process: pid_t) {
    SignalForwarding.receiver.store(process, ordering: .sequentiallyConsistent)
    let missed = SignalForwarding.early.load(ordering: .sequentiallyConsistent)
    if missed != 0 { kill(process, missed) }
  }

  /// The process has ended: its number may soon be another's.
  borrowing func end() {
    SignalForwarding.receiver.store(0, ordering: .sequentiallyConsistent)
  }

  /// Stops this process as a signal stopped the command, so that the shell takes the terminal back; then both go on. Where
  /// no shell would ever continue it, the system does not stop it either, and it waits for the command to go on.
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

  /// In a signal handler: numbers are stored and signals sent, nothing else.
  private static func receive(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?) {
    if number == SIGCONT { return isContinued.store(true, ordering: .sequentiallyConsistent) }
    let process = receiver.load(ordering: .sequentiallyConsistent)
    if process == 0 {
      early.store(number, ordering: .sequentiallyConsistent)
    } else if number == SIGHUP || info?.pointee.isFromProcess == true {
      // The end of a terminal is told to the leader of the session alone, which this process may be.
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
  /// Whether a process sent it, and not the terminal.
  fileprivate var isFromProcess: Bool {
    #if canImport(Glibc)
      si_code <= 0
    #elseif canImport(Darwin)
      si_pid != 0
    #endif
  }
}
