// memento log

import ArgumentParser
import MementoKit

struct LogCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the history, newest first",
    usage: "memento log [SNAPSHOT] [-n N] [-z]",
    discussion: """
      An entry a line: * where the folder is, id, what was done, time, user, files added (+), modified (~) and removed \
      (-), names; the message is below. With -z the fields are separated by tabs and the records ended by NUL: mark, \
      operation, id, names with : between, time, user, host, added, modified, removed, message.
      """)

  @Argument(help: ArgumentHelp("Start here (default: the whole timeline)", valueName: "SNAPSHOT"))
  var snapshot: TextArgument?

  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("max-count")],
    help: ArgumentHelp("Show at most so many entries", valueName: "N"))
  var limit: CountArgument?

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    var options = LogOptions()
    options.from = snapshot?.text
    options.limit = limit?.count
    let entries = try session.openRepository().log(options)
    let text = LogText(form: session.form)
    if session.options.json {
      try session.write(document: LogDocument(entries))
    } else if records.isNullSeparated {
      try session.write(NullRecords.bytes(text.records(entries)))
    } else {
      for line in text.lines(entries) { try session.write(line: line) }
    }
    return .done
  }
}
