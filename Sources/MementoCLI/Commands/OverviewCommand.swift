// memento, without a command

import ArgumentParser
import MementoKit

/// What `memento` alone says: one screen about this folder.
struct OverviewCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "memento", abstract: "Show one screen about this folder", usage: "memento [-C DIR] [OPTIONS]")

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository: Repository
    do {
      repository = try session.openRepository()
    } catch let error as RepositoryError where error.code == .noStore && !session.options.json {
      let folder = TerminalText.escaped(session.directory)
      let needsInit = SaveTarget.guardedPlace(session) != nil
      for line in OverviewText.firstSteps(folder, needsInit: needsInit) { try session.write(line: line) }
      return .done
    }
    let overview = try session.monitored { try repository.overview(monitor: $0) }
    session.tell(overview.status.problems.filter { !$0.isNote })
    if overview.status.isRestorePending { session.notePendingRestore() }
    if session.options.json {
      try session.write(document: OverviewDocument(overview, forkOf: repository.forkOf))
    } else {
      let text = OverviewText(form: session.formHere(repository))
      for line in text.lines(overview, of: repository.folder, forkOf: repository.forkOf, in: repository.storePath) {
        try session.write(line: line)
      }
    }
    return session.status(overview.status.problems)
  }
}
