// Signals while the browser has the terminal. A handler only notes the signal and wakes the loop, which does the rest.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a signal asks for.
package enum TerminalSignal: Equatable, Sendable {
  case resize
  /// Another process stops this one, as Ctrl-Z would.
  case stop
  /// This process goes on after it was stopped.
  case goOn
  /// Asks for an end. The number of the signal is part of the exit status.
  case end(Int32)
}

/// Catches signals from `init` until the value goes out of scope. Only one may exist at a time.
package struct TerminalSignals: ~Copyable {
  private static let numbers = [SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// A bit for each signal that was received.
  private static let received = Atomic<UInt64>(0)
  private static let wakeDescriptor = Atomic<Int32>(-1)

  private let before: [(number: Int32, action: sigaction)]

  /// `wake` is written to when a signal has come.
  package init(waking wake: borrowing WakePipe) {
    // The first use initializes these variables. That must not happen in a handler.
    TerminalSignals.received.store(0, ordering: .relaxed)
    TerminalSignals.wakeDescriptor.store(wake.writing, ordering: .relaxed)
    before = TerminalSignals.numbers.compactMap { number in
      var old = sigaction()
      // A signal that the caller ignores stays ignored, for example under `nohup`.
      guard sigaction(number, nil, &old) == 0, !SignalAction.isIgnored(old) else { return nil }
      TerminalSignals.install(number)
      return (number, old)
    }
  }

  deinit {
    for (number, action) in before {
      var action = action
      sigaction(number, &action, nil)
    }
    TerminalSignals.wakeDescriptor.store(-1, ordering: .relaxed)
  }

  private static func install(_ number: Int32) {
    var action = sigaction()
    SignalAction.setHandler(&action) { number in TerminalSignals.note(number) }
    sigaction(number, &action, nil)
  }

  private static func note(_ number: Int32) {
    let saved = errno
    received.bitwiseOr(1 << UInt64(number), ordering: .relaxed)
    WakePipe.wake(wakeDescriptor.load(ordering: .relaxed))
    errno = saved
  }

  /// The signals since the last call.
  package borrowing func take() -> [TerminalSignal] {
    let bits = TerminalSignals.received.exchange(0, ordering: .relaxed)
    return TerminalSignals.numbers.filter { bits & (1 << UInt64($0)) != 0 }.map { number in
      switch number {
      case SIGWINCH: .resize
      case SIGTSTP: .stop
      case SIGCONT: .goOn
      default: .end(number)
      }
    }
  }

  /// Stops this process until somebody lets it go on. `isKey`: Ctrl-Z was typed, which stops all that the shell has started
  /// together.
  package borrowing func stop(isKey: Bool) {
    // Where the caller ignores the signal, nobody could let this process go on.
    guard before.contains(where: { $0.number == SIGTSTP }) else { return }
    _ = signal(SIGTSTP, SIG_DFL)
    kill(isKey ? 0 : getpid(), SIGTSTP)
    TerminalSignals.install(SIGTSTP)
    // The caller knows that this process goes on.
    TerminalSignals.received.bitwiseAnd(~(1 << UInt64(SIGCONT)), ordering: .relaxed)
  }
}
