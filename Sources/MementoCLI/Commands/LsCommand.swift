// memento ls

import ArgumentParser
import MementoKit

struct LsCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "List the files of a snapshot",
    usage: "memento ls [-lR] [-z] SNAPSHOT[:PATH]",
    discussion: """
      Lists the names in a snapshot, or in its folder PATH. PATH is relative to the folder that is saved. A PATH that \
      begins with ./ or ../ is relative to the current folder. With -z the names are exact, and NUL ends each. With -l and \
      -z, each name follows its mode, owner, group, size and time, separated by tabs.
      """)

  @Flag(name: .customShort("l"), help: "Show mode, owner, group, size and time as well")
  var isLong = false

  @Flag(name: [.customShort("R"), .customLong("recursive")], help: "List what is in folders, too")
  var isRecursive = false

  @Argument(help: ArgumentHelp("What to list", valueName: "SNAPSHOT[:PATH]"))
  var place: SnapshotPathArgument

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let path = try session.path(of: place, in: repository) ?? BytePath("")
    try session.bring(place.revision, .trees, at: path.bytes.isEmpty ? [] : [path], repository)
    let entries = EntryPrinter(repository, place.revision, path)
    if session.options.json {
      try entries.writeDocument(isRecursive: isRecursive, in: session)
    } else if records.isNullSeparated {
      try entries.writeRecords(isLong: isLong, isRecursive: isRecursive, in: session)
    } else {
      try entries.write(isLong: isLong, isRecursive: isRecursive, in: session)
    }
    return .done
  }
}
