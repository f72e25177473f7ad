// The push that follows a save.

import MementoKit

struct SavePush {
  private let repository: Repository
  private let session: Session
  private let reach: RemoteReach
  /// The remote of the config, where it is not confirmed here and the command line asks for no push.
  private let held: Result<String?, any Error>
  /// The way to the remote, which is opened during the save.
  private let ahead: RemoteAhead?

  /// Begins to reach the remote. Nil when no push is wanted. `isWanted`: what the command line says; nil for what the config
  /// says.
  init?(after repository: Repository, isWanted: Bool?, _ session: Session) {
    guard isWanted ?? (repository.autoPush != nil) else { return nil }
    self.repository = repository
    self.session = session
    reach = RemoteReach(session)
    // What is wrong with remotes must not prevent the save.
    held = Result {
      try isWanted == nil ? repository.autoPush.flatMap { try SavePush.isHeld($0, repository) ? $0 : nil } : nil
    }
    ahead =
      if case .success(nil) = held {
        repository.reachAhead(repository.autoPush, access: reach.access, monitor: session.notice)
      } else {
        nil
      }
  }

  /// Pushes the saved state or, when it has no name, the timeline. Nil when the remote is not confirmed here.
  func run(_ name: String?) throws -> PushSummary? {
    do {
      if let held = try held.get() {
        session.note(
          "not pushed: the remote \(TerminalText.escaped(held)) is not confirmed here; \(Advice.confirm(held))")
        return nil
      }
    } catch {
      throw SavePush.report(error, signal: session.context.receivedSignal())
    }
    var options = PushOptions()
    options.remote = repository.autoPush
    if let name { options.names = [name] } else { options.includesPosition = true }
    try session.flush()
    do {
      let summary = try session.reaching(by: reach) { [options] access, monitor in
        try withExtendedLifetime(ahead) { try repository.push(options, access: access, monitor: monitor) }
      }
      try tell(summary, repository)
      return summary
    } catch let error as OutputError {
      throw error
    } catch {
      throw SavePush.report(error, signal: session.context.receivedSignal())
    }
  }

  /// A store that was copied from elsewhere pushes nothing by itself.
  private static func isHeld(_ remote: String, _ repository: Repository) throws -> Bool {
    try repository.remotes().contains { $0.name == remote && !$0.isConfirmed }
  }

  private func tell(_ summary: PushSummary, _ repository: Repository) throws {
    if session.options.json { return }
    let text = TransferText(form: session.form, states: try repository.states(ofRemote: summary.remote))
    for line in text.pushed(summary) { try session.say(line) }
    for line in text.settlings(summary.moves, of: summary.remote) { try session.hint(line) }
  }

  /// Whatever the reason is, the status says that there is a save and no push.
  private static func report(_ error: any Error, signal: Int32) -> ErrorReport {
    var report = ErrorReport(caught: error, signal: signal)
    report.message = "saved here, and not pushed: \(report.message)"
    if report.id != RepositoryError.Code.cancelled.description { report.status = .unreachable }
    return report
  }
}
