// memento remote list

import ArgumentParser
import MementoKit

struct RemoteListCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the remotes; asks none of them",
    usage: "memento remote [list] [-z]",
    discussion: """
      Prints a line for each remote: name, URL, sealed or plain, when it was last reached. With -z, tabs separate the \
      fields and NUL ends each record: name, URL, sealed or plain, confirmed or unconfirmed, time.
      """)

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    let remotes = try session.openRepository().remotes()
    let text = RemoteText(form: session.form)
    if session.options.json {
      try session.write(document: RemotesDocument(remotes))
    } else if records.isNullSeparated {
      try session.write(NullRecords.bytes(text.records(remotes)))
    } else {
      for line in text.lines(remotes) { try session.write(line: line) }
    }
    return .done
  }
}
