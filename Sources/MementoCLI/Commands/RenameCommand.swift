// memento rename

import ArgumentParser
import MementoKit

struct RenameCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a state another name",
    usage: "memento rename OLD NEW [--force]",
    discussion: """
      The new name keeps the history: NEW~1 is what OLD~1 was. If NEW is in use, the command fails; with --force, NEW \
      loses what it meant. The two names may differ only by case.
      """)

  @Argument(help: ArgumentHelp("The state, literally", valueName: "OLD"))
  var old: TextArgument

  @Argument(help: ArgumentHelp("Its new name", valueName: "NEW"))
  var new: TextArgument

  @Flag(name: .shortAndLong, help: "Replace a NEW that is in use")
  var force = false

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    let renamed = try repository.rename(old.text, to: new.text, force: force, isDryRun: change.dryRun)
    if session.options.json {
      try session.write(document: RenameDocument(renamed, dryRun: change.dryRun))
    } else {
      for line in StoreText.renamed(renamed, isDryRun: change.dryRun, form: session.form) { try session.say(line) }
    }
    return .done
  }
}
