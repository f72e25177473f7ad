// What all commands have in common: they have the global options and run in a session.

import ArgumentParser

protocol SessionCommand: ParsableCommand {
  var global: GlobalOptions { get }
  /// Where the document goes when the caller has a descriptor for it.
  var separateDocument: DescriptorOutput? { get }

  /// Does the work and prints the result.
  func run(in session: Session) throws -> ExitStatus
}

extension SessionCommand {
  var separateDocument: DescriptorOutput? { nil }
}
