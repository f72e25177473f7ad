// memento undo

import ArgumentParser
import MementoKit

struct UndoCommand: MoveCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Go one step back",
    usage: "memento undo [N] [--keep PATTERN]...",
    discussion: """
      Takes the folder to the state before the last save or restore, or N steps back. Unsaved changes are saved first \
      and count as a step: the first undo takes back only these, and redo brings them again.

      At the beginning of the history there is nothing to undo; then the exit status is 1.
      """)

  @Argument(help: ArgumentHelp("How many steps (default: 1)", valueName: "N"))
  var steps: CountArgument?

  @Flag(help: "As root: restore owners, setuid and devices from another user's store too")
  var asRecorded = false

  @OptionGroup var keeping: KeepArguments

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  static let verbs = (done: "undid", planned: "would undo")

  func move(_ repository: Repository, by steps: Int, monitor: any Monitor) throws(RepositoryError) -> MoveSummary {
    try repository.undo(
      steps, keeping: keeping.patterns, isDryRun: change.dryRun, asRecorded: asRecorded, monitor: monitor)
  }
}
