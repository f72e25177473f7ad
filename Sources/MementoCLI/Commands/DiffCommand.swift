// memento diff

import ArgumentParser
import MementoKit

struct DiffCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what differs between snapshots, or in the folder",
    usage: "memento diff [A [B]] [--patch | --stat | --name-status] [-- PATH...]",
    discussion: """
      Compares the position, or A, with the folder as it is. With A and B, compares these two. Shows the lines that \
      differ, as a patch that patch -p1 and git apply accept. With --name-status there is a line for each path: A added, \
      M modified, D removed, T another type, m only metadata, R renamed.
      """)

  @Argument(help: ArgumentHelp("The older side (default: @)", valueName: "A"))
  var older: TextArgument?

  @Argument(help: ArgumentHelp("The newer side (default: the folder as it is)", valueName: "B"))
  var newer: TextArgument?

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("Only these files and folders, or what these pathspecs match", valueName: "PATH"))
  var paths: [PathArgument] = []

  @OptionGroup var form: DiffFormOptions

  @Flag(help: "End with status 1 when there are differences")
  var exitCode = false

  @OptionGroup var ignoring: IgnoreArguments

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
    try form.validate(with: global)
    if records.isNullSeparated, form.context != nil || (form.form ?? .nameStatus) != .nameStatus {
      throw ValidationError("-z goes with --name-status")
    }
    if newer != nil, ignoring.isGiven {
      throw ValidationError("--exclude and similar options apply to the folder, and two snapshots are compared")
    }
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    var options = DiffOptions()
    options.from = older.map { Revision($0.text) }
    options.to = newer.map { Revision($0.text) }
    let chosen = try session.chosenPaths(paths, in: repository, of: [options.from, options.to]).collapsed
    options.paths = chosen.paths
    options.pathspecs = chosen.pathspecs
    options.ignoring = try ignoring.options(from: session.directory)
    try session.bring(options.from, .trees, at: chosen.toBring, repository)
    try session.bring(options.to, .trees, at: chosen.toBring, repository)
    let comparison = try session.monitored { [options] in try repository.diff(options, monitor: $0) }
    session.tell(comparison.problems.filter { !$0.isNote })
    if comparison.isRestorePending, comparison.to == nil { session.notePendingRestore() }
    if chosenForm(session) != .nameStatus {
      try session.bringContents(of: comparison, from: options.from, to: options.to, repository)
    }
    let problems = try write(comparison, session)
    session.tell(problems)
    if exitCode, !comparison.changes.isEmpty { return .failed }
    return session.status(comparison.problems + problems)
  }

  /// What the output shows; in a document, the names unless --stat is given.
  private func chosenForm(_ session: Session) -> DiffForm {
    if session.options.json || records.isNullSeparated { return form.form ?? .nameStatus }
    return form.form ?? .patch
  }

  private func write(_ comparison: Comparison, _ session: Session) throws -> [Problem] {
    let output = ComparisonOutput(comparison, form)
    if session.options.json {
      let stats = form.form == .stat ? try output.stats(in: session) : nil
      try session.write(document: DiffDocument(comparison, stats?.stats, further: stats?.problems ?? []))
      return []
    }
    if records.isNullSeparated {
      for change in comparison.changes { try session.write(NameStatusText.record(change)) }
      return []
    }
    if comparison.changes.isEmpty { return [] }
    var problems: [Problem] = []
    try session.paged { problems = try output.write(chosenForm(session), in: $0) }
    return problems
  }
}
