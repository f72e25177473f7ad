// memento push

import ArgumentParser
import MementoKit

struct PushCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Bring states to a remote",
    usage: "memento push [REMOTE] [NAME... | --all] [-n] [--limit-rate RATE]",
    discussion: """
      Sends what the remote lacks, then moves the names there, all in one step. Deletes nothing there. Interrupted, it has \
      changed no name, and the next push goes on where it was.

      A name that another machine has moved meanwhile is kept beside this one, as REMOTE/NAME@HOST.
      """)

  @Argument(help: ArgumentHelp("The remote, then patterns of names (default: all names)", valueName: "REMOTE"))
  var words: [TextArgument] = []

  @Flag(help: "Push the timeline as well, not only what has a name")
  var all = false

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup var transfer: TransferArguments

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: nil)
    let words = try RemoteWords(words.map(\.text), remotes: try repository.remotes().map(\.name)) {
      Array(try repository.stateNames().keys)
    }
    if all && !words.names.isEmpty { throw ErrorReport.usage("--all does not go with a NAME") }
    var options = PushOptions()
    options.remote = words.remote
    options.names = words.names
    options.includesTimeline = all
    options.isDryRun = dryRun
    let summary = try session.reaching(limit: transfer.limitRate) { [options] access, monitor in
      try repository.push(options, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: PushDocument(summary))
    } else {
      let text = TransferText(form: session.form, states: try repository.states(ofRemote: summary.remote))
      for line in text.pushed(summary) { try session.say(line) }
      for line in text.settlings(summary.moves, of: summary.remote) { try session.hint(line) }
    }
    return .done
  }
}
