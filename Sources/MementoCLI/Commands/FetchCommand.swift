// memento fetch

import ArgumentParser
import MementoKit

struct FetchCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Ask a remote which states it has",
    usage: "memento fetch [REMOTE] [-n]",
    discussion: """
      Prints the names that changed there since the last look. Their content stays there until it is needed. `memento pull` \
      brings it here, and moves the names here.
      """)

  @Argument(help: ArgumentHelp("The remote (default: the only one, or that of the config)", valueName: "REMOTE"))
  var remote: TextArgument?

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup var transfer: TransferArguments

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: nil)
    var options = FetchOptions()
    options.remote = remote?.text
    options.isDryRun = dryRun
    let summary = try session.reaching(limit: transfer.limitRate) { [options] access, monitor in
      try repository.fetch(options, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: FetchDocument(summary))
    } else {
      let text = TransferText(form: session.form, states: try repository.states(ofRemote: summary.remote))
      for line in text.fetched(summary) { try session.say(line) }
    }
    return .done
  }
}
