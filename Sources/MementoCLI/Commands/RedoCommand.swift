// memento redo

import ArgumentParser
import MementoKit

struct RedoCommand: MoveCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Go one step forward again",
    usage: "memento redo [N] [--keep PATTERN]...",
    discussion: """
      Takes back an undo, or N of them. A save or a restore after an undo ends what could be redone.

      When there is nothing to redo, the exit status is 1.
      """)

  @Argument(help: ArgumentHelp("How many steps (default: 1)", valueName: "N"))
  var steps: CountArgument?

  @Flag(help: "As root: restore owners, setuid and devices from another user's store too")
  var asRecorded = false

  @OptionGroup var keeping: KeepArguments

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  static let verbs = (done: "redid", planned: "would redo")

  func move(_ repository: Repository, by steps: Int, monitor: any Monitor) throws(RepositoryError) -> MoveSummary {
    try repository.redo(
      steps, keeping: keeping.patterns, isDryRun: change.dryRun, asRecorded: asRecorded, monitor: monitor)
  }
}
