// All that a command takes from the process it runs in, as a value: so that tests can run commands in process, many at
// once, each with a world of its own.

import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process around a command.
struct CommandContext: Sendable {
  /// The variables that matter, as bytes.
  var environment: [String: [UInt8]] = [:]
  /// Absolute and without symbolic links; nil when the folder was deleted under the process.
  var currentDirectory: BytePath?
  var standardInput: Int32 = 0
  var standardOutput: Int32 = 1
  var standardError: Int32 = 2
  var isOutputTerminal = false
  var isErrorTerminal = false
  var isRoot = false
  /// Columns; nil when standard output is no terminal, or one that does not tell.
  var terminalWidth: Int?
  /// The time of day.
  var now: @Sendable () -> SnapshotTime = { .now }
  /// Seconds east of Greenwich at a time.
  var zoneOffset: @Sendable (Int64) -> Int = { _ in 0 }
  /// Makes a folder the current one, for commands that this one starts. Nothing in tests, which share their process.
  var enterDirectory: @Sendable (BytePath) throws -> Void = { _ in }
  /// Signals that this program ignores for itself: commands that it starts get them as usual.
  var ignoredSignals = [SIGPIPE, SIGXFSZ]
  /// Whether the signals of the process are this command's to handle. Not in tests.
  var handlesSignals = false
  /// Called before long work: from then on a signal asks the work to end.
  var catchSignals: @Sendable () -> Void = {}
  /// Called when a pager has the terminal: from then on an interrupt asks the work to end and never kills.
  var holdInterrupts: @Sendable () -> Void = {}
  /// The signal that came since; 0 for none.
  var receivedSignal: @Sendable () -> Int32 = { 0 }

  /// A variable as text; nil when it is not set or empty.
  func variable(_ name: String) -> String? {
    guard let bytes = environment[name], !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
