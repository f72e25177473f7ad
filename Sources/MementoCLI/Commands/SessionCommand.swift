// What all commands have in common: they have the global options and run in a session.

import ArgumentParser

protocol SessionCommand: ParsableCommand {
  var global: GlobalOptions { get }

  /// Does the work and prints the result.
  func run(in session: Session) throws -> ExitStatus
}
