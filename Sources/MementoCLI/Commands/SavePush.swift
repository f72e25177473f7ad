// The push that follows a save.

import MementoKit

struct SavePush {
  private let repository: Repository
  private let session: Session
  private let reach: RemoteReach
  /// Whether the command line asks for the push, and not the config alone.
  private let isAskedFor: Bool
  /// The way to the remote, which is opened during the save.
  private let ahead: RemoteAhead?

  /// Begins to reach the remote: nothing that is wrong with it prevents the save. Nil when no push is wanted. `isWanted`: what
  /// the command line says; nil for what the config says.
  init?(after repository: Repository, isWanted: Bool?, _ session: Session) {
    guard isWanted ?? (repository.autoPush != nil) else { return nil }
    self.repository = repository
    self.session = session
    isAskedFor = isWanted != nil
    reach = RemoteReach(session)
    ahead = repository.reachAhead(repository.autoPush, access: reach.access, monitor: session.notice)
  }

  /// Pushes the saved state or, when it has no name, the timeline. Nil when the remote is not confirmed here.
  func run(_ name: String?) throws -> PushSummary? {
    var options = PushOptions()
    options.remote = repository.autoPush
    if let name { options.names = [name] } else { options.includesPosition = true }
    try session.flush()
    do {
      if !isAskedFor, let remote = repository.autoPush, try isHeld(remote) {
        session.note(
          "not pushed: the remote \(TerminalText.escaped(remote)) is not confirmed here; \(Advice.confirm(remote))")
        return nil
      }
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
  private func isHeld(_ remote: String) throws -> Bool {
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
