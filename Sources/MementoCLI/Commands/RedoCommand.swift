// memento redo

import ArgumentParser
import MementoKit

struct RedoCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Go one step forward again",
    usage: "memento redo [N]",
    discussion: """
      Takes back an undo, or N of them. A save or a restore after an undo ends what could be redone.

      When there is nothing to redo, the exit status is 1.
      """)

  @Argument(help: ArgumentHelp("How many steps (default: 1)", valueName: "N"))
  var steps: CountArgument?

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync)
    let summary = try session.monitored {
      try repository.redo(steps?.count ?? 1, isDryRun: change.dryRun, monitor: $0)
    }
    return try MoveReport(verb: "redid", planned: "would redo", summary).show(in: session)
  }
}
