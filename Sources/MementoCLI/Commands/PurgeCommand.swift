// memento purge

import ArgumentParser
import MementoKit

struct PurgeCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge",
    abstract: "Take paths out of every snapshot, and their content out of the store",
    usage: "memento purge [--dry-run] [--yes] [PATH]...",
    discussion: """
      For a secret, or a large file that nobody needs. Every snapshot that has a PATH is replaced by one without it; names \
      and history follow, with new ids. Then nothing in the store holds the content any longer, unless another path has \
      it, too. Prints a plan first, and asks. The folder is not touched: a file that is still there is saved again, \
      unless a rule leaves it out.

      Without a PATH, removes what nothing needs, as an interrupted purge has left it. Nothing brings back what was purged.
      """)

  @Argument(help: ArgumentHelp("Files and folders; they need not exist any more", valueName: "PATH"))
  var paths: [PathArgument] = []

  @Flag(name: .shortAndLong, help: "Do not ask")
  var yes = false

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: .store)
    let places = session.places(in: repository)
    var options = PurgeOptions(try paths.map { try places.relative($0.path) })
    options.isDryRun = dryRun
    if !dryRun && !yes {
      guard session.canAsk else {
        throw ErrorReport.usage("purge cannot be taken back, so it asks first", advice: Advice.purgeWithoutTerminal)
      }
      options.isDryRun = true
      let plan = try purge(repository, options, session)
      try report(plan, session)
      guard try session.confirms("Do this? Nothing brings it back.") else {
        throw ErrorReport(status: .failed, id: "\(RepositoryError.Code.cancelled)", "nothing was changed")
      }
      options.isDryRun = false
    }
    let summary = try purge(repository, options, session)
    try report(summary, session)
    return status(summary, session)
  }

  private func purge(
    _ repository: Repository, _ options: PurgeOptions, _ session: Session
  ) throws -> PathPurgeSummary {
    try session.monitored { try repository.purge(options, monitor: $0) }
  }

  private func report(_ summary: PathPurgeSummary, _ session: Session) throws {
    if session.options.json {
      try session.write(document: PurgeDocument(summary))
    } else {
      for line in PurgeText(form: session.form).lines(summary) { try session.say(line) }
    }
  }

  /// What is left is a problem, and so is a path that nothing has.
  private func status(_ summary: PathPurgeSummary, _ session: Session) -> ExitStatus {
    session.tell(
      summary.remaining.map { file in
        let advice = file.isUnfinished ? Advice.finishPurge : Advice.purgedByHand
        return Problem(path: file.file, message: "\(file.detail); \(advice)")
      }
        + (summary.foundNothing ? summary.paths.map { Problem(path: $0.path, message: "no snapshot has it") } : []))
    if summary.foundNothing { return .noSuchState }
    return summary.remaining.isEmpty ? .done : .partial
  }
}
