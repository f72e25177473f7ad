// memento list

import ArgumentParser
import MementoKit

struct ListCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the states",
    usage: "memento list [PATTERN] [--sort name|time|size] [-z]",
    discussion: """
      One state a line: * where the folder is, name, id, time, files, size, message. With -z the fields are separated \
      by tabs and the records ended by NUL: mark, name, id, time, files, bytes, message, exactly as they are.
      """)

  enum Order: String, ExpressibleByArgument, CaseIterable {
    case name
    case time
    case size
  }

  @Argument(help: ArgumentHelp("Only names that match this glob; * matches / too", valueName: "PATTERN"))
  var pattern: TextArgument?

  @Option(help: ArgumentHelp("Sort by name, time (newest first) or size (largest first)", valueName: "KEY"))
  var sort = Order.name

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    var states = try session.openRepository().states()
    if let pattern = pattern.map({ NamePattern($0.text) }) {
      states = states.filter { pattern.matches($0.name) }
    }
    sort(&states)
    let table = StateTable(form: session.form)
    if session.options.json {
      try session.write(document: ListDocument(states))
    } else if records.isNullSeparated {
      try session.write(NullRecords.bytes(table.records(states)))
    } else {
      for line in table.lines(states) { try session.write(line: line) }
    }
    return .done
  }

  /// Equal ones stay sorted by name.
  private func sort(_ states: inout [ListedState]) {
    switch sort {
    case .name: break
    case .time: states.sort { $0.snapshot.time > $1.snapshot.time }
    case .size: states.sort { $0.snapshot.bytes > $1.snapshot.bytes }
    }
  }
}
