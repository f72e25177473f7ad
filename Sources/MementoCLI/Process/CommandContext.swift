// Everything that a command takes from its process, as a value. So tests can run many commands in one process, each
// with its own context.

import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process of a command.
struct CommandContext: Sendable {
  /// The environment variables that memento uses, as bytes.
  var environment: [String: [UInt8]] = [:]
  /// Absolute and without symbolic links. nil when the current directory was deleted.
  var currentDirectory: BytePath?
  var standardInput: Int32 = 0
  var standardOutput: Int32 = 1
  var standardError: Int32 = 2
  var isInputTerminal = false
  var isOutputTerminal = false
  var isErrorTerminal = false
  var isRoot = false
  /// The width in columns. nil when standard output is no terminal or the terminal does not report its width.
  var terminalWidth: Int?
  /// The wall clock time.
  var now: @Sendable () -> SnapshotTime = { .now }
  /// The offset of the local time zone in seconds east of UTC, at a time in seconds since 1970.
  var zoneOffset: @Sendable (Int64) -> Int = { _ in 0 }
  /// Changes the current directory, for the commands that this one starts. Does nothing in tests, which share one
  /// process.
  var enterDirectory: @Sendable (BytePath) throws -> Void = { _ in }
  /// The signals that this program ignores. Commands that it starts get their default action.
  var ignoredSignals = [SIGPIPE, SIGXFSZ]
  /// Whether this command may handle the signals of the process. False in tests.
  var handlesSignals = false
  /// Is called before long work. From then on a signal asks the work to end.
  var catchSignals: @Sendable () -> Void = {}
  /// Is called when a pager uses the terminal. From then on an interrupt asks the work to end and never kills the
  /// process.
  var holdInterrupts: @Sendable () -> Void = {}
  /// The signal that was received after `catchSignals` or `holdInterrupts`; 0 if none was.
  var receivedSignal: @Sendable () -> Int32 = { 0 }

  /// Takes the progress of long work, and is called often: the phase, how many files, how many bytes. For a caller that is
  /// a program.
  var reportProgress: (@Sendable (String, Int, UInt64) -> Void)?

  /// An environment variable as text; nil when it is not set or empty.
  func variable(_ name: String) -> String? {
    guard let bytes = environment[name], !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the locale is one of UTF-8, as far as the environment says.
  var isUnicode: Bool {
    let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? ""
    let name = locale.lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }
}
