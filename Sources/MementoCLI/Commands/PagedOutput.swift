// Shows long output with a pager on a terminal.

import MementoKit

extension Session {
  /// Runs `body` with a session whose output goes to the pager, or with this session when no pager can be used. When
  /// the user leaves the pager early, `body` ends without an error. `body` may run twice, because a shell may report
  /// only afterwards that it could not start the pager.
  func paged(_ body: (Session) throws -> Void) throws {
    guard !options.noPager, !options.json, let command = Pager.command(context),
      let pager = Pager(command, context: context)
    else { return try body(self) }
    context.holdInterrupts()
    let output = DescriptorOutput(pager.input)
    var failure: (any Error)?
    do {
      defer { try? output.flush() }  // an error matters only below, where it is reported
      try body(writing(to: output))
      try output.flush()
    } catch let error as OutputError where error.isBrokenPipe {
      // The user has left the pager.
    } catch {
      failure = error
    }
    let isShown = pager.finish()
    if let failure { throw failure }
    if !isShown { try body(self) }
  }

  /// Throws `.cancelled` when a signal has asked for an end. For work that is done in small pieces.
  func checkInterruption() throws {
    if context.receivedSignal() != 0 { throw RepositoryError(.cancelled, "interrupted") }
  }
}
