// What undo and redo say: what was passed, and where the folder is now.

import MementoKit

struct MoveReport {
  private let verb: String
  private let summary: MoveSummary

  /// `planned`: the verb of a dry run.
  init(verb: String, planned: String, _ summary: MoveSummary) {
    self.verb = summary.restore.isCommitted ? verb : planned
    self.summary = summary
  }

  func show(in session: Session) throws -> ExitStatus {
    session.tell(summary.restore.problems)
    if session.options.json {
      try session.write(document: MoveDocument(summary))
    } else {
      let text = RestoreText(form: session.form)
      for step in text.plan(summary.restore) { try session.write(line: step) }
      for step in summary.steps { try session.say("\(verb) \(name(step, session.form))") }
      try session.say(text.position(summary.restore))
    }
    return session.status(summary.restore.problems)
  }

  /// `save before-upgrade 2ae4d1f5219b`, `unsaved changes, now saved as d1659b0274a9`
  private func name(_ step: MovedStep, _ form: TextForm) -> String {
    let id = form.paintedID(step.snapshot)
    if step.isUnsaved { return "unsaved changes" + (summary.restore.isCommitted ? ", now saved as \(id)" : "") }
    let operation = step.operation == "guard" ? "unsaved changes" : step.operation
    return step.name.map { "\(operation) \(form.name($0)) \(id)" } ?? "\(operation) \(id)"
  }
}
