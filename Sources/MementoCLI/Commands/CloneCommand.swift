// memento clone

import ArgumentParser
import MementoKit

struct CloneCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone",
    abstract: "Make a folder from a remote",
    usage: "memento clone URL [DIR] [--as-recorded] [--limit-rate RATE]",
    discussion: """
      Makes a store with every name of the remote and its content, and restores the folder as it was at the newest push. \
      The remote is called origin there. Started again with the same DIR, it goes on where it was.
      """)

  @Argument(help: ArgumentHelp("Where the remote is", valueName: "URL"))
  var place: RemotePlaceArgument

  @Argument(help: ArgumentHelp("A new or empty folder (default: named as the last part of URL)", valueName: "DIR"))
  var folder: PathArgument?

  @Flag(help: "As root: restore owners, setuid and devices as others have recorded them")
  var asRecorded = false

  @OptionGroup var transfer: TransferArguments

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let url = try session.url(of: place)
    guard let name = folder?.path ?? url.folderName.map({ BytePath($0) }) else {
      throw ErrorReport.usage("the URL has no name for the folder", advice: Advice.nameFolder)
    }
    let destination = session.directory.resolving(name)
    let options = try session.openOptions()
    let summary = try session.reaching(limit: transfer.limitRate) { access, monitor in
      try Repository.clone(
        url, to: destination, options: options, asRecorded: asRecorded, access: access, monitor: monitor)
    }
    let problems = summary.restore?.problems ?? []
    session.tell(problems)
    if session.options.json {
      try session.write(document: CloneDocument(summary))
    } else {
      let text = TransferText(form: session.form)
      for line in text.conflicts(summary) { try session.say(line) }
      try session.say(text.cloned(summary, into: name))
      if let restore = summary.restore {
        try session.say(RestoreText(form: session.form).summary(restore, revision: nil))
      }
      for line in text.settlings(summary.fetch.moves, of: summary.fetch.remote) { try session.hint(line) }
    }
    return session.status(problems)
  }
}
