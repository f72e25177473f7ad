// Listens to long work: counts, and tells it when a signal asked for an end. What it counts is shown by a
// ProgressDisplay, if there is a terminal to show it on.

import MementoKit
import MementoSystem
import Synchronization

final class TerminalMonitor: Monitor {
  private let counters = ProgressCounters()
  private let display: ProgressDisplay?
  private let receivedSignal: @Sendable () -> Int32
  private let notice: WaitNotice?

  /// `terminal` is the descriptor to draw on; nil draws nothing and starts no thread.
  init(terminal: Int32?, notice: WaitNotice? = nil, receivedSignal: @escaping @Sendable () -> Int32) {
    display = terminal.map { [counters] in ProgressDisplay(terminal: $0, counters: counters) }
    self.receivedSignal = receivedSignal
    self.notice = notice
  }

  func begin(_ phase: Phase) {
    counters.begin(phase)
    display?.start()
  }

  func advance(files: Int, bytes: UInt64) {
    counters.files.wrappingAdd(files, ordering: .relaxed)
    counters.bytes.wrappingAdd(bytes, ordering: .relaxed)
  }

  // Problems are printed at the end, from the summary: in order, each once.
  func report(_ problem: Problem) {}

  var isCancelled: Bool { receivedSignal() != 0 }

  // No line of progress stands there: work begins when the wait is over.
  func wait(for holder: StoreHolder?) {
    notice?.wait(for: holder)
  }

  /// Erases the line. Nothing is drawn after this.
  func finish() {
    display?.finish()
  }
}

/// What the workers add to and the display reads.
final class ProgressCounters: Sendable {
  let files = Atomic<Int>(0)
  let bytes = Atomic<UInt64>(0)
  private let current = Mutex<(phase: Phase, began: Double)>((.scanning, Clock.monotonicSeconds()))

  func begin(_ phase: Phase) {
    current.withLock { $0 = (phase, Clock.monotonicSeconds()) }
    files.store(0, ordering: .relaxed)
    bytes.store(0, ordering: .relaxed)
  }

  var line: ProgressLine {
    let current = current.withLock { $0 }
    return ProgressLine(
      phase: current.phase, files: files.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed),
      seconds: Clock.monotonicSeconds() - current.began)
  }
}
