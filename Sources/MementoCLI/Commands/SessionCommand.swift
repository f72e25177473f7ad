// What all commands have in common: they are parsed with the global options, and run in a session.

import ArgumentParser

protocol SessionCommand: ParsableCommand {
  var global: GlobalOptions { get }

  /// Does the work and prints what came of it.
  func run(in session: Session) throws -> ExitStatus
}
