// The common part of undo and redo: both move the folder along its timeline and print the steps that they passed.

import MementoKit

protocol MoveCommand: SessionCommand {
  /// The word before a step, in a run (`undid`) and in a dry run (`would undo`).
  static var verbs: (done: String, planned: String) { get }
  var steps: CountArgument? { get }
  var change: ChangeOptions { get }

  func move(_ repository: Repository, by steps: Int, monitor: any Monitor) throws(RepositoryError) -> MoveSummary
}

extension MoveCommand {
  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .folder)
    let summary = try session.monitored { try move(repository, by: steps?.count ?? 1, monitor: $0) }
    session.tell(summary.restore.problems)
    if session.options.json {
      try session.write(document: MoveDocument(summary, folder: repository.folder))
    } else {
      let verb = summary.restore.isCommitted ? Self.verbs.done : Self.verbs.planned
      let text = RestoreText(form: session.form)
      for step in text.plan(summary.restore) { try session.write(line: step) }
      for step in summary.steps { try session.say("\(verb) \(text.step(step, of: summary))") }
      try session.say(text.position(summary.restore, names: summary.names))
    }
    return session.status(summary.restore.problems)
  }
}
