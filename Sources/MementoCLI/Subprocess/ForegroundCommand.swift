// A command that runs in the place of this program: same terminal, same process group, same standard streams. What the
// terminal sends reaches it directly; what somebody sends to this process is passed on; when it stops, so does this
// process, and the shell sees one job.

import MementoKit
import MementoSystem

enum ForegroundCommand {
  /// Runs a command to its end. Nil, and nothing is run, when a signal had asked for an end before.
  static func run(_ words: [BytePath], context: CommandContext) throws(Errno) -> ProcessEnd? {
    // Tests share their process, and its signals.
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
