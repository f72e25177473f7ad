// Gives the terminal back when this program crashes. A shell on a terminal that shows nothing of what is typed is of no
// use to anybody.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a handler of a signal needs, all of it made before: a handler must not allocate.
private struct RescuePlan {
  let input: Int32
  let output: Int32
  var settings: termios
  let sequence: UnsafeMutableBufferPointer<UInt8>
}

enum TerminalRescue {
  private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]
  /// The address of a `RescuePlan`; 0 when there is none.
  private static let plan = Atomic<UInt>(0)

  /// From now on a crash first gives the terminal back: writes `sequence` and sets `settings`.
  static func arm(input: Int32, output: Int32, settings: termios, sequence: String) {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: sequence.utf8.count)
    _ = bytes.initialize(from: sequence.utf8)
    let new = UnsafeMutablePointer<RescuePlan>.allocate(capacity: 1)
    new.initialize(to: RescuePlan(input: input, output: output, settings: settings, sequence: bytes))
    replace(with: UInt(bitPattern: new))
    for number in signals {
      var action = sigaction()
      SignalAction.setHandler(&action) { number in TerminalRescue.run(number) }
      // The signal that is raised in the handler must come at once, and kill.
      action.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND)) | Int32(SA_NODEFER)
      sigaction(number, &action, nil)
    }
  }

  static func disarm() {
    for number in signals { _ = signal(number, SIG_DFL) }
    replace(with: 0)
  }

  private static func replace(with new: UInt) {
    guard let old = take(new) else { return }
    old.pointee.sequence.deallocate()
    old.deallocate()
  }

  private static func take(_ new: UInt = 0) -> UnsafeMutablePointer<RescuePlan>? {
    UnsafeMutablePointer(bitPattern: plan.exchange(new, ordering: .acquiringAndReleasing))
  }

  private static func run(_ number: Int32) {
    if let plan = take() {
      _ = write(plan.pointee.output, plan.pointee.sequence.baseAddress, plan.pointee.sequence.count)
      tcsetattr(plan.pointee.input, TCSANOW, &plan.pointee.settings)
    }
    raise(number)
  }
}
