// memento status

import ArgumentParser
import MementoKit

struct StatusCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show where the folder is and what changed since",
    usage: "memento status [PATH]... [--exit-code] [--exclude PATTERN]... [-z]",
    discussion: """
      The first line says at which snapshot the folder is. Then there is a line for each path that changed: A added, M \
      modified, D removed, T another type, m only metadata. Ignored paths are not listed. With -z, only the paths are \
      printed: a letter, a space, the path, and NUL.
      """)

  @Argument(help: ArgumentHelp("Only these files and folders, or what these pathspecs match", valueName: "PATH"))
  var paths: [PathArgument] = []

  @Flag(help: "End with status 1 when there are changes")
  var exitCode = false

  @OptionGroup var ignoring: IgnoreArguments

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    var options = StatusOptions()
    let chosen = try session.chosenPaths(paths, in: repository, of: [.position]).collapsed
    options.paths = chosen.paths
    options.pathspecs = chosen.pathspecs
    options.ignoring = try ignoring.options(from: session.directory)
    let summary = try session.monitored { [options] in try repository.status(options, monitor: $0) }
    session.tell(summary.problems.filter { !$0.isNote })
    if summary.isRestorePending { session.notePendingRestore() }
    if session.options.json {
      try session.write(document: StatusDocument(summary, forkOf: repository.forkOf))
    } else if records.isNullSeparated {
      try session.write(StatusText(form: session.form).records(summary))
    } else {
      let text = StatusText(form: session.formHere(repository))
      for line in text.lines(summary, forkOf: repository.forkOf) { try session.write(line: line) }
    }
    if exitCode, !summary.changes.isEmpty { return .failed }
    return session.status(summary.problems)
  }
}
