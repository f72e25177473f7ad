// Long output: a screen at a time, where there is a terminal.

import MementoKit

extension Session {
  /// Runs `body` with a session whose data goes through a pager, or where there is none to use, with this one. A pager that
  /// is left before the end ends `body`, and is no error. `body` may be run twice: a pager may turn out not to work.
  func paged(_ body: (Session) throws -> Void) throws {
    guard !options.noPager, !options.json, let command = Pager.command(context),
      let pager = Pager(command, context: context)
    else { return try body(self) }
    context.holdInterrupts()
    let output = DescriptorOutput(pager.input)
    var failure: (any Error)?
    do {
      defer { try? output.flush() }  // where it matters it is done again below, and reported
      try body(writing(to: output))
      try output.flush()
    } catch let error as OutputError where error.isBrokenPipe {
      // Seen enough.
    } catch {
      failure = error
    }
    let isShown = pager.finish()
    if let failure { throw failure }
    if !isShown { try body(self) }
  }

  /// Ends work that goes on piece by piece when a signal asked for it.
  func checkInterruption() throws {
    if context.receivedSignal() != 0 { throw RepositoryError(.cancelled, "interrupted") }
  }
}
