// memento pull

import ArgumentParser
import MementoKit

struct PullCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Bring states of a remote here",
    usage: "memento pull [REMOTE] [NAME...] [-n] [--limit-rate RATE]",
    discussion: """
      Asks the remote which states it has, brings their content here, and moves the names here. A name that was moved here \
      and there stays as it is here, and REMOTE/NAME is the other one. Deletes nothing, and leaves the folder alone: \
      `memento restore NAME` goes to a state.
      """)

  @Argument(help: ArgumentHelp("The remote, then patterns of names (default: all names)", valueName: "REMOTE"))
  var words: [TextArgument] = []

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup var transfer: TransferArguments

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: .store)
    let remotes = try repository.remotes().map(\.name)
    let words = try RemoteWords(words.map(\.text), remotes: remotes) {
      guard let remote = repository.configuredRemote ?? (remotes.count == 1 ? remotes.first : nil) else { return [] }
      return try repository.states(ofRemote: remote).map { String($0.name.dropFirst(remote.count + 1)) }
    }
    var options = FetchOptions()
    options.remote = words.remote
    options.names = words.names
    options.isDryRun = dryRun
    let summary = try session.reaching(limit: transfer.limitRate) { [options] access, monitor in
      try repository.pull(options, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: FetchDocument(summary))
    } else {
      let text = TransferText(form: session.form, states: try repository.states(ofRemote: summary.remote))
      for line in text.pulled(summary) { try session.say(line) }
      for line in text.settlings(summary.moves, of: summary.remote) { try session.hint(line) }
    }
    for name in summary.unusableNames {
      session.note("\(TerminalText.escaped(name)) stays there: no state here can have this name")
    }
    return .done
  }
}
