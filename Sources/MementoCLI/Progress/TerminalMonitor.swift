// Monitors long work: it counts, and it tells the work when a signal asked for an end. If there is a terminal, a
// ProgressDisplay shows the counts.

import MementoKit
import MementoSystem
import Synchronization

final class TerminalMonitor: Monitor {
  private let counters = ProgressCounters()
  private let display: ProgressDisplay?
  private let receivedSignal: @Sendable () -> Int32
  private let notice: WaitNotice?
  private let report: (@Sendable (String, Int, UInt64) -> Void)?
  private let confirmation: (@Sendable (FolderGrowth) -> Bool)?

  /// `terminal` is the descriptor to draw on. With nil nothing is drawn and no thread is started.
  /// `confirmation`: asks whether a save may record so much; nil refuses.
  init(
    terminal: Int32?, notice: WaitNotice? = nil, report: (@Sendable (String, Int, UInt64) -> Void)? = nil,
    confirmation: (@Sendable (FolderGrowth) -> Bool)? = nil,
    receivedSignal: @escaping @Sendable () -> Int32
  ) {
    self.report = report
    self.confirmation = confirmation
    display = terminal.map { [counters] in ProgressDisplay(terminal: $0, counters: counters) }
    self.receivedSignal = receivedSignal
    self.notice = notice
  }

  func begin(_ phase: Phase) {
    counters.begin(phase)
    display?.start()
  }

  func expect(bytes: UInt64) {
    counters.expected.store(bytes, ordering: .relaxed)
  }

  func expect(files: Int) {
    counters.expectedFiles.store(files, ordering: .relaxed)
  }

  func advance(files: Int, bytes: UInt64) {
    counters.files.wrappingAdd(files, ordering: .relaxed)
    counters.bytes.wrappingAdd(bytes, ordering: .relaxed)
    if let report {
      let line = counters.line
      report(line.phase.description, line.files, line.bytes)
    }
  }

  func confirm(_ growth: FolderGrowth) -> Bool {
    guard let confirmation else { return false }
    return held { confirmation(growth) }
  }

  // Problems are printed at the end, from the summary: in order, and each once.
  func report(_ problem: Problem) {}

  var isCancelled: Bool { receivedSignal() != 0 }

  // The notice does not mix with a progress line: the work begins only after the wait.
  func wait(for holder: StoreHolder?) {
    notice?.wait(for: holder)
  }

  /// Shows no progress while `body` asks something on the terminal.
  func held<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let display else { return try body() }
    return try display.held(body)
  }

  /// Erases the line. After this nothing is drawn.
  func finish() {
    display?.finish()
  }
}

/// Counters that the workers increase and the display reads.
final class ProgressCounters: Sendable {
  let files = Atomic<Int>(0)
  let bytes = Atomic<UInt64>(0)
  /// How many bytes there are going to be; 0 when that is not known.
  let expected = Atomic<UInt64>(0)
  /// How many files; 0 when that is not known.
  let expectedFiles = Atomic<Int>(0)
  private let current = Mutex<(phase: Phase, began: Double)>((.scanning, Clock.monotonicSeconds()))

  func begin(_ phase: Phase) {
    current.withLock { $0 = (phase, Clock.monotonicSeconds()) }
    files.store(0, ordering: .relaxed)
    bytes.store(0, ordering: .relaxed)
    expected.store(0, ordering: .relaxed)
    expectedFiles.store(0, ordering: .relaxed)
  }

  var line: ProgressLine {
    let current = current.withLock { $0 }
    return ProgressLine(
      phase: current.phase, files: files.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed),
      seconds: Clock.monotonicSeconds() - current.began, expected: expected.load(ordering: .relaxed),
      expectedFiles: expectedFiles.load(ordering: .relaxed))
  }
}
