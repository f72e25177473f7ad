// Runs a command with the terminal, process group and standard streams of this program. Signals from the terminal reach
// the command directly. Signals from other processes are forwarded. When the command stops, this process stops too, so
// that the shell sees one job.

import MementoKit
import MementoSystem

enum ForegroundCommand {
  /// Runs a command to its end. If a signal has asked for an end before, returns nil and runs nothing.
  static func run(_ words: [BytePath], context: CommandContext) throws(Errno) -> ProcessEnd? {
    // Tests share one process and its signals.
    guard context.handlesSignals else {
      return try ChildProcess(words, output: context.standardOutput, context: context).wait()
    }
    let signals = SignalForwarding()
    if context.receivedSignal() != 0 { return nil }
    let child = try ChildProcess(words, output: context.standardOutput, context: context)
    signals.begin(child.id)
    while case .stopped(let signal) = child.nextChange() { signals.stop(by: signal, child.id) }
    signals.end()
    return child.wait()
  }
}
