// One line on the terminal, rewritten ten times a second once the work has lasted half a second, and erased at the end.

import MementoSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

final class ProgressDisplay: Sendable {
  private struct State {
    var isStarted = false
    var isShown = false
    var isFinished = false
    /// Somebody else uses the terminal.
    var isHeld = false
  }

  private let output: DescriptorOutput
  private let counters: ProgressCounters
  private let state = Mutex(State())

  init(terminal: Int32, counters: ProgressCounters) {
    output = DescriptorOutput(terminal)
    self.counters = counters
  }

  /// Starts the thread, once.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return }
    DetachedThread.start { [self] in tick() }
  }

  /// Erases the line. The thread may still sleep; it draws nothing any more.
  func finish() {
    state.withLock { state in
      if state.isShown { output.tell("\r\u{1B}[K") }
      state.isFinished = true
    }
  }

  /// Erases the line, and draws nothing while `body` runs.
  func held<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { state in
      if state.isShown { output.tell("\r\u{1B}[K") }
      state.isShown = false
      state.isHeld = true
    }
    defer { state.withLock { $0.isHeld = false } }
    return try body()
  }

  private func tick() {
    usleep(500_000)
    while true {
      let goesOn = state.withLock { state in
        guard !state.isFinished else { return false }
        guard !state.isHeld else { return true }
        output.tell("\r" + counters.line.text(width: width()) + "\u{1B}[K")
        state.isShown = true
        return true
      }
      guard goesOn else { return }
      usleep(100_000)
    }
  }

  private func width() -> Int {
    var size = winsize()
    guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
