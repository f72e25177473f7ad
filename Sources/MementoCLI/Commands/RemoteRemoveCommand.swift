// memento remote remove

import ArgumentParser
import MementoKit

struct RemoteRemoveCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Forget a remote; what is there stays there",
    usage: "memento remote remove NAME [-n]")

  @Argument(help: ArgumentHelp("The remote", valueName: "NAME"))
  var name: TextArgument

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let removed = try session.openRepository(toChange: .store).removeRemote(name.text, isDryRun: dryRun)
    if session.options.json {
      try session.write(document: RemoteDocument(removed: removed, dryRun: dryRun))
    } else {
      try session.say(RemoteText(form: session.form).removed(removed, isDryRun: dryRun))
    }
    return .done
  }
}
