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
      for step in summary.steps { try session.say("\(verb) \(name(step, summary, session.form))") }
      try session.say(text.position(summary.restore, names: summary.names))
    }
    return session.status(summary.restore.problems)
  }

  /// A step for people, for example `save before-upgrade 2ae4d1f5219b` or `unsaved changes, now saved as d1659b0274a9`.
  private func name(_ step: MovedStep, _ summary: MoveSummary, _ form: TextForm) -> String {
    let id = form.paintedID(step.snapshot)
    if step.isUnsaved { return "unsaved changes" + (summary.restore.isCommitted ? ", now saved as \(id)" : "") }
    let operation = step.operation == .guarded ? "unsaved changes" : "\(step.operation)"
    return step.name.map { "\(operation) \(form.name($0)) \(id)" } ?? "\(operation) \(id)"
  }
}
