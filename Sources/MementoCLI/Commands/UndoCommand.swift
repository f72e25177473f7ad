// memento undo

import ArgumentParser
import MementoKit

struct UndoCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Go one step back",
    usage: "memento undo [N]",
    discussion: """
      Takes the folder to the state before the last save or restore, or N steps back. Unsaved changes are saved first \
      and count as a step: the first undo takes just them back, and redo brings them again.

      At the beginning of the history there is nothing to undo; then the exit status is 1.
      """)

  @Argument(help: ArgumentHelp("How many steps (default: 1)", valueName: "N"))
  var steps: CountArgument?

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync)
    let summary = try session.monitored {
      try repository.undo(steps?.count ?? 1, isDryRun: change.dryRun, monitor: $0)
    }
    return try MoveReport(verb: "undid", planned: "would undo", summary).show(in: session)
  }
}
