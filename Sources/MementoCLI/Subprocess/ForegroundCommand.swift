// Runs a command with the terminal, process group and standard streams of this program. Signals from the terminal reach
// the command directly. Signals from other processes are forwarded. When the command stops, this process stops too, so
// that the shell sees one job.

import MementoKit
import MementoSystem

enum ForegroundCommand {
  /// Where a command runs, and what it gets. Nil: as this program has it.
  struct Surroundings {
    /// An absolute path.
    var directory: BytePath?
    var output: Int32?
    var hidesPasswords = false
  }

  /// Runs a command to its end. If a signal has asked for an end before, returns nil and runs nothing.
  static func run(
    _ words: [BytePath], in surroundings: Surroundings = Surroundings(), context: CommandContext
  ) throws(Errno) -> ProcessEnd? {
    // Tests share one process and its signals.
    guard context.handlesSignals else { return try start(words, surroundings, context).wait() }
    let signals = SignalForwarding()
    if context.receivedSignal() != 0 { return nil }
    let child = try start(words, surroundings, context)
    signals.begin(child.id)
    while case .stopped(let signal) = child.nextChange() { signals.stop(by: signal, child.id) }
    signals.end()
    return child.wait()
  }

  /// The signal that asked this program to end while the last command ran; 0 if none did. The command got it, too, and may
  /// have ended in any way.
  static func heardSignal(_ context: CommandContext) -> Int32 {
    context.handlesSignals ? SignalForwarding.ending : 0
  }

  private static func start(
    _ words: [BytePath], _ surroundings: Surroundings, _ context: CommandContext
  ) throws(Errno) -> ChildProcess {
    try ChildProcess(
      words, output: surroundings.output ?? context.standardOutput, in: surroundings.directory,
      hidesPasswords: surroundings.hidesPasswords, context: context)
  }
}
