// memento remote check

import ArgumentParser
import MementoKit

struct RemoteCheckCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Look whether a remote can be reached and opened",
    usage: "memento remote check [NAME]",
    discussion: """
      Looks whether the remote can be reached and opened, and is the one that this store knows.
      """)

  @Argument(help: ArgumentHelp("The remote (default: the only one, or that of the config)", valueName: "NAME"))
  var name: TextArgument?

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let summary = try session.reaching { access, monitor in
      try repository.checkRemote(name?.text, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: RemoteDocument(summary, dryRun: false))
    } else {
      try session.say(RemoteText(form: session.form).checked(summary))
    }
    return .done
  }
}
