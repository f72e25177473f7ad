// memento restore --patch

import MementoKit

extension RestoreCommand {
  /// Asks what to restore, and restores that.
  func restorePieces(_ repository: Repository, _ session: Session) throws -> ExitStatus {
    let revision = snapshot.map { Revision($0.text) } ?? .position
    let chosen = try session.chosenPaths(paths, in: repository, of: [revision]).collapsed
    do {
      try session.bring(revision, .contents, at: chosen.toBring, repository)
      _ = try repository.snapshot(revision)
    } catch let error as RepositoryError {
      throw session.error(error, forPathInPlaceOf: snapshot, advice: Advice.patchOf)
    }
    var options = PatchOptions()
    options.paths = chosen.paths
    options.pathspecs = chosen.pathspecs
    let patch = try session.monitored { [options] in try repository.patch(to: revision, options, monitor: $0) }
    session.tell(patch.problems)
    var questions = PatchQuestions(session, patch)
    let choices = try questions.ask()
    session.tell(questions.problems)
    let problems = patch.problems + questions.problems
    if choices.isEmpty {
      try session.say(patch.changes.isEmpty ? "nothing differs" : "nothing was chosen, nothing is changed")
      return session.status(problems)
    }
    let summary = try session.monitored {
      try repository.restore(patch, choices, isDryRun: change.dryRun, asRecorded: asRecorded, monitor: $0)
    }
    let restored = summary.restore
    tellRescued(restored, session)
    session.tell(restored.problems.filter { !problems.contains($0) })
    let text = RestoreText(form: session.form)
    for step in text.plan(restored) { try session.write(line: step) }
    try session.say(text.restoredPieces(summary, revision: snapshot?.text ?? "@"))
    if let guarded = text.guard(restored, ofPaths: true) { try session.say(guarded) }
    session.tell(
      summary.changed.map { Problem(path: $0, message: "changed since it was shown: it stays as it is") })
    return summary.changed.isEmpty ? session.status(restored.problems + problems) : .failed
  }
}
